/**
 * What makes two names the same, nearly the same, or merely close. Identity is the exact name
 * (NFC, trimmed); folding finds what a person would call the same name written differently.
 */

/** The name as it is stored: Unicode NFC, no white space at either end, single spaces within. */
export function normaliseName(name: string): string {
  return name.normalize('NFC').trim().replace(/\s+/gu, ' ');
}

/** Accents of the scripts in which one leaves them out: elsewhere a mark makes another letter (ガ, й, रो). */
const ACCENTS = /(?<=[\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu;

/** Equal for names that differ only by case, Latin or Greek accents, character width or white space. */
export function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .toLowerCase()
    .replace(/ß/gu, 'ss')
    .normalize('NFC')
    .trim()
    .replace(/\s+/gu, ' ');
}

/** Candidates worth naming in "closest names": most alike first, none that is unlike. */
export function closestNames(name: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = foldName(name);
  const scored: { candidate: string; score: number }[] = [];
  for (const candidate of new Set(candidates)) {
    const score = likeness(wanted, foldName(candidate));
    if (score >= LIKENESS_MIN) scored.push({ candidate, score });
  }
  scored.sort((a, b) => b.score - a.score || a.candidate.localeCompare(b.candidate));
  return scored.slice(0, limit).map(({ candidate }) => candidate);
}

/** Half of the longer name must agree; below that a suggestion misleads. */
const LIKENESS_MIN = 0.5;

/** 1 for equal, 0 for nothing in common; a name that contains the other counts as close. */
function likeness(a: string, b: string): number {
  const longer = Math.max(a.length, b.length);
  if (longer === 0) return 1;
  if (a !== '' && b !== '' && (a.includes(b) || b.includes(a))) return 0.9;
  if (Math.min(a.length, b.length) / longer < LIKENESS_MIN) return 0;
  return 1 - editDistance(a, b) / longer;
}

/** Levenshtein distance, two rows at a time (Wagner and Fischer, 1974). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
