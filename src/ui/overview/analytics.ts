import type { ToolWire } from '#http/wire.ts';

export type Analytics = ToolWire['get_analytics']['output'];
