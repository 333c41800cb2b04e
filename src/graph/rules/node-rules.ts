/** What seed 002 allows in a node. Each rule says in a sentence what is wrong; undefined for nothing. */
import { MemoryError, quote } from '#errors.ts';
import {
  ENTITY_NAME_CHARS_MAX,
  ENTITY_TYPE_CHARS_MAX,
  METADATA_LEVELS_MAX,
  RELATION_TYPE_CHARS_MAX,
  type Limits,
} from '#limits.ts';
import { normaliseContent } from '#graph/fact.ts';
import type { Metadata } from '#graph/memory-node.ts';
import { normaliseName } from '#graph/names.ts';
import { countChars, findCharacterProblem, hasInfinity, hasNull, isDeeper } from './text-rules.ts';

export type Problem = string | undefined;

/** Refuses a request for all that is wrong with it. */
export function refuseProblems(problems: readonly Problem[]): void {
  const found = problems.filter((problem) => problem !== undefined);
  if (found.length === 0) return;
  throw new MemoryError('invalid_input', found.join('; '), {
    hint: 'Nothing was changed. Mend the request and send it again.',
  });
}

export function findFactTextProblem(text: string, { textCharsMax }: Limits): Problem {
  return findProblem('Text', normaliseContent(text), textCharsMax);
}

export function findEntityNameProblem(name: string): Problem {
  return findProblem('Entity name', normaliseName(name), ENTITY_NAME_CHARS_MAX);
}

export function findEntityTypeProblem(type: string): Problem {
  return findProblem('Entity type', type.normalize('NFC').trim(), ENTITY_TYPE_CHARS_MAX);
}

function findProblem(noun: string, text: string, charsMax: number): Problem {
  const chars = countChars(text);
  if (chars === 0) return `${noun} is empty`;
  if (chars > charsMax) return `${noun} too long (max ${charsMax} chars)`;
  const found = findCharacterProblem(text);
  return found && `${noun} refused: ${found}`;
}

/** Its length is the tool's to check. */
export function findSourceProblem(source: string | undefined): Problem {
  const found = source === undefined ? undefined : findCharacterProblem(source);
  return found && `Source refused: ${found}`;
}

export function findMetadataProblem(metadata: Metadata | undefined, limits: Limits): Problem {
  if (metadata === undefined) return undefined;
  if (isDeeper(metadata, METADATA_LEVELS_MAX)) {
    return `Metadata nested too deep (max ${METADATA_LEVELS_MAX} levels)`;
  }
  if (hasNull(metadata)) return 'Metadata refused: Contains the character U+0000.';
  if (hasInfinity(metadata)) return 'Metadata refused: Contains a number beyond 1.8e308.';
  const bytes = new TextEncoder().encode(JSON.stringify(metadata)).byteLength;
  if (bytes <= limits.metadataBytesMax) return undefined;
  return `Metadata too large (max ${limits.metadataBytesMax} bytes)`;
}

export function findTtlProblem(days: number | undefined, limits: Limits): Problem {
  const { ttlDaysMin: min, ttlDaysMax: max } = limits;
  if (days === undefined || (days > min && days <= max)) return undefined;
  return `Invalid ttl_days ${quote(days)} (must be more than ${min} and at most ${max})`;
}

export function findRelationTypeProblem(type: string): Problem {
  if (/^\w+$/.test(type) && type.length <= RELATION_TYPE_CHARS_MAX) return undefined;
  return `Invalid relation_type ${quote(type)} (only letters, digits and _, 1-${RELATION_TYPE_CHARS_MAX} chars)`;
}

/** For the name of a relation of any toolset, which may have spaces. */
export function findPredicateProblem(predicate: string): Problem {
  return findProblem('Predicate', predicate.normalize('NFC').trim(), RELATION_TYPE_CHARS_MAX);
}

export function findScoreProblem(field: string, value: number | undefined): Problem {
  if (value === undefined || (value >= 0 && value <= 1)) return undefined;
  return `Invalid ${field} ${quote(value)} (must be between 0 and 1)`;
}
