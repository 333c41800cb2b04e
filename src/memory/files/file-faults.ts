/** What is wrong with a file that is imported: the errors that end an import, and the list of its faults. */
import { MemoryError } from '#errors.ts';
import { IMPORT_FAULTS_LISTED_MAX } from '#limits.ts';

export interface LineFault {
  /** From 1; null for what is wrong with the file as a whole. */
  readonly line: number | null;
  /** Without a full stop. */
  readonly problem: string;
  /** Set for a line of the history, which a file can do without. */
  readonly isHistory?: boolean;
}

/** What an import left out of a file, because it does not fit. */
export interface LeftOut {
  readonly total: number;
  /** The first of them, by line. */
  readonly faults: readonly LineFault[];
}

const HINT = 'Nothing was changed. Correct the file and import it again.';
const SKIP_HINT =
  'Nothing was changed. Correct the file and import it again, or import it with skip: true (?skip=1 of the route), which takes everything else and lists what it left out.';

/** The error for a line without which nothing else can be read. */
export function faultyLine(line: number, problem: string): MemoryError {
  return new MemoryError('invalid_input', `Line ${line}: ${problem}.`, { hint: HINT });
}

/** The error for a file that cannot be read as a whole. */
export function faultyFile(problem: string): MemoryError {
  return new MemoryError('invalid_input', problem, { hint: HINT });
}

export interface FaultList {
  readonly count: number;
  /** The one that was noted first: others may follow from it. */
  readonly first: LineFault | undefined;
  /** Lines that nothing may be read from. */
  readonly left: ReadonlySet<number>;
  /** Notes a fault of something that no later pass over the file gives. */
  add(fault: LineFault): void;
  /** Notes a fault of a line, of which the rest of the import then takes nothing. */
  leave(line: number, problem: string): void;
  /** The first `IMPORT_FAULTS_LISTED_MAX` that were noted, by line. */
  listed(): LineFault[];
}

export function openFaultList(): FaultList {
  const noted: LineFault[] = [];
  const left = new Set<number>();
  let count = 0;

  function add(fault: LineFault): void {
    count += 1;
    if (noted.length < IMPORT_FAULTS_LISTED_MAX) noted.push(fault);
  }

  return {
    left,
    add,
    get count() {
      return count;
    },
    get first() {
      return noted[0];
    },
    leave(line, problem) {
      left.add(line);
      add({ line, problem });
    },
    listed() {
      return noted.toSorted((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity));
    },
  };
}

/** Throws one error for all faults; does nothing when there are none. */
export function refuseFile(faults: FaultList): void {
  const { first, count } = faults;
  if (first === undefined) return;
  const sentences = [
    `${describe(first)}.`,
    ...(count > 1 ? [`The file has ${count} faults.`] : []),
    ...(count > IMPORT_FAULTS_LISTED_MAX
      ? [`The first ${IMPORT_FAULTS_LISTED_MAX} are listed.`]
      : []),
  ];
  throw new MemoryError('invalid_input', sentences.join(' '), {
    hint: SKIP_HINT,
    faults: faults.listed().map(({ line, problem }) => ({
      path: line === null ? 'file' : `line ${line}`,
      problem,
    })),
  });
}

function describe({ line, problem }: LineFault): string {
  return line === null
    ? `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`
    : `Line ${line}: ${problem}`;
}
