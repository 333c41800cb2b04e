/** What the node tools take. Limits that a deployer may change are checked by `graph/rules/node-rules.ts`. */
import * as z from 'zod';
import { NODE_STATUSES, type Metadata } from '#graph/memory-node.ts';
import { SOURCE_CHARS_MAX } from '#limits.ts';

export const nodeText = () => z.string().meta({ maxLength: '{textCharsMax}' });

export const source = () => z.string().max(SOURCE_CHARS_MAX);

function isJsonObject(value: unknown): value is Metadata {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const metadataInput = () =>
  z
    .unknown()
    .refine(isJsonObject, { error: 'is no JSON object' })
    .transform((value) => value as Metadata)
    .meta({ type: 'object', description: 'Any JSON object, at most {metadataBytesMax} bytes.' });

export const status = () => z.enum(NODE_STATUSES);

export const ttlDays = () =>
  z
    .number()
    .meta({ exclusiveMinimum: '{ttlDaysMin}', maximum: '{ttlDaysMax}' })
    .describe('Days to live.');

/** The last time that JavaScript knows. */
const TIME_MAX = 8_640_000_000_000_000;

export const expiresAt = () =>
  z.int().min(0).max(TIME_MAX).describe('Epoch milliseconds; wins over ttl_days.');

/** What is out of range is brought into it: the contract has no error for that. */
export function clamped({ min, max, fallback }: { min: number; max: number; fallback: number }) {
  return z
    .number()
    .meta({ type: 'integer', minimum: min, maximum: max })
    .transform((given) => Math.min(Math.max(Math.round(given), min), max))
    .default(fallback);
}
