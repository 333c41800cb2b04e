/** What a caller may say of any node besides its text. */
import type { Metadata } from '#graph/memory-node.ts';
import {
  findMetadataProblem,
  findSourceProblem,
  findTtlProblem,
  type Problem,
} from '#graph/rules/node-rules.ts';
import type { NodeStatus } from '#graph/status.ts';
import { EXPIRES_AT_MIN } from '#limits.ts';
import type { World } from '#memory/world.ts';

export interface NodeDetails {
  readonly source?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly status?: NodeStatus | undefined;
  readonly ttlDays?: number | undefined;
  /** Epoch milliseconds; it wins over `ttlDays`. */
  readonly expiresAt?: number | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export function findDetailProblems(
  { limits }: World,
  { source, metadata, ttlDays }: NodeDetails,
): Problem[] {
  return [
    findSourceProblem(source),
    findMetadataProblem(metadata, limits),
    findTtlProblem(ttlDays, limits),
  ];
}

/** Epoch milliseconds; undefined when nothing is said of an end. */
export function readExpiry({ ttlDays, expiresAt }: NodeDetails, now: number): number | undefined {
  if (expiresAt !== undefined) return Math.max(expiresAt, EXPIRES_AT_MIN);
  return ttlDays === undefined ? undefined : Math.round(now + ttlDays * DAY_MS);
}
