/** Parameters that several tools take, described once: where a value comes from, not what a type is. */
import * as z from 'zod';
import { parseMoment, parseTime } from '#graph/moment.ts';
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

export const entityType = () => z.string().max(ENTITY_TYPE_CHARS_MAX).describe('Exact type.');

export const relationType = () =>
  z.string().max(RELATION_TYPE_CHARS_MAX).describe('Relation type.');

export const observationId = () => z.string().max(32).describe('Such as obs_12.');

/** A number from 0 to 1. */
export const unit = () => z.number().min(0).max(1);

export const confidence = () => unit().describe('How sure.');
export const importance = () => unit().describe('How important.');

export const detail = () =>
  z.enum(['brief', 'full']).default('brief').describe("'full' adds ids, dates, weights.");

export const pageLimit = () =>
  z.int().min(1).max(PAGE_SIZE_MAX).optional().describe('Entities per page.');

export const pageOffset = () =>
  z.int().min(0).max(OFFSET_MAX).optional().describe('Entities to skip.');

export const pageCursor = () => z.string().max(64).optional().describe('The last nextCursor.');

/** A time or a day. The long pattern of `z.iso.datetime` would be paid for in every tool list. */
export const isoTime = () =>
  z
    .string()
    .max(40)
    .refine((text) => parseTime(text) !== undefined, {
      error: 'is neither a time such as 2026-01-20T10:00:00Z nor a day such as 2026-01-20',
    });

/** The number of a revision, a time, or a day. */
const moment = () =>
  z.preprocess(
    (value) => (typeof value === 'number' ? String(value) : value),
    z
      .string()
      .max(40)
      .refine((text) => parseMoment(text) !== undefined, {
        error:
          'is neither a revision such as 12, nor a time such as 2026-01-20T10:00:00Z, nor a day such as 2026-01-20 or, in another zone, 2026-01-20+01:00',
      }),
  );

export const asOf = () => moment().optional().describe('Revision, time or day.');

/** From which on everything is meant: a revision stays itself, a time or a day is the first moment. */
export const sinceMoment = () =>
  moment().describe('After this revision, or from this time or day on.');

export const since = () => moment().optional().describe('After this time or revision.');

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
