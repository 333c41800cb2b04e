/** Parameters that several tools take, described once: where a value comes from, not what a type is. */
import * as z from 'zod';
import {
  ENTITY_NAME_CHARS_MAX,
  ENTITY_TYPE_CHARS_MAX,
  OFFSET_MAX,
  OWNER_ID_CHARS_MAX,
  PAGE_SIZE_MAX,
  RELATION_TYPE_CHARS_MAX,
} from '#limits.ts';
import { DEFAULT_OWNER } from './define.ts';
import { KEEPS_EMPTY } from './read-arguments.ts';

export const entityName = () => z.string().max(ENTITY_NAME_CHARS_MAX).describe('Entity name.');

export const entityType = () =>
  z.string().max(ENTITY_TYPE_CHARS_MAX).describe('Only this type, exactly.');

export const relationType = () =>
  z.string().max(RELATION_TYPE_CHARS_MAX).describe('Relation type.');

export const observationId = () =>
  z.string().max(32).describe("Such as obs_12; detail 'full' shows ids.");

/** A number from 0 to 1. */
export const unit = () => z.number().min(0).max(1);

export const confidence = () => unit().describe('How sure, 0 to 1.');
export const importance = () => unit().describe('How important, 0 to 1.');

export const detail = () =>
  z.enum(['brief', 'full']).default('brief').describe("'full' adds ids, dates, weights.");

export const pageLimit = () =>
  z.int().min(1).max(PAGE_SIZE_MAX).optional().describe('Entities per page.');

export const pageOffset = () =>
  z.int().min(0).max(OFFSET_MAX).optional().describe('Entities to skip.');

export const pageCursor = () =>
  z.string().max(64).optional().describe('nextCursor of the page before.');

/** A time or a date. The long pattern of `z.iso.datetime` would be paid for in every tool list. */
export const isoTime = () =>
  z.string().max(40).refine(isIsoTime, {
    error: 'is no ISO 8601 time such as 2026-01-20T10:00:00Z or 2026-01-20',
  });

/** The number of a revision, or a time. */
const moment = () =>
  z.preprocess(
    (value) => (typeof value === 'number' ? String(value) : value),
    z
      .string()
      .max(40)
      .refine((text) => REVISION.test(text) || isIsoTime(text), {
        error:
          'is no revision such as 12, and no ISO 8601 time such as 2026-01-20T10:00:00Z or 2026-01-20',
      }),
  );

export const asOf = () => moment().optional().describe('Time or revision.');

export const since = () => moment().optional().describe('Only after this time or revision.');

const REVISION = /^\d{1,15}$/;

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

function isIsoTime(text: string): boolean {
  return ISO_TIME.test(text) && !Number.isNaN(Date.parse(text));
}

/**
 * The Worker has checked it, and chosen the object by it, before the tool is called. An empty one is
 * no owner: what was meant for another must not reach the thread's own memory.
 */
export const ownerId = () =>
  z
    .string()
    .max(OWNER_ID_CHARS_MAX)
    .default(DEFAULT_OWNER)
    .meta({ [KEEPS_EMPTY]: true })
    .describe('Whose memory.');
