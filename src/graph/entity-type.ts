/** Entity types are free text with a convention: soft normalisation, warnings, suggestions (seed 000). */
import { quote } from '#errors.ts';
import { closestNames } from './names.ts';

/** For reference, never enforced. */
const COMMON_ENTITY_TYPES = [
  'Person',
  'Document',
  'File',
  'Code',
  'Task',
  'Knowledge',
  'API',
  'Database',
  'Service',
  'Configuration',
  'Patient',
  'Doctor',
  'Diagnosis',
  'Customer',
  'Product',
  'Order',
] as const;

export interface NormalisedType {
  readonly entityType: string;
  readonly warnings: readonly string[];
}

/** Upper-cases the first letter; a type with spaces is stored as given, with a warning. */
export function normaliseEntityType(given: string): NormalisedType {
  const trimmed = given.normalize('NFC').trim();
  const [first = ''] = trimmed;
  const entityType = first.toUpperCase() + trimmed.slice(first.length);
  const warnings: string[] = [];
  if (entityType !== trimmed) {
    warnings.push(
      `EntityType ${quote(trimmed)} should start with capital letter. Normalized to ${quote(entityType)}.`,
    );
  }
  if (/\s/u.test(trimmed)) {
    warnings.push(
      `EntityType ${quote(trimmed)} contains spaces. Consider using ${quote(joinWords(trimmed))} instead.`,
    );
  }
  return { entityType, warnings };
}

/** A sentence that names common types like the one given, or the usual ones when none is close. */
export function suggestEntityType(given: string): string {
  const close = closestNames(given, COMMON_ENTITY_TYPES);
  const examples = close.length > 0 ? close : COMMON_ENTITY_TYPES.slice(0, 6);
  return `Use a short type such as ${examples.join(', ')}, or one of your own.`;
}

/** `API Key` becomes `ApiKey`, as the specification's example has it. */
function joinWords(text: string): string {
  return text
    .split(/\s+/u)
    .map((word) => {
      const [first = ''] = word;
      return first.toUpperCase() + word.slice(first.length).toLowerCase();
    })
    .join('');
}
