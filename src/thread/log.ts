/** The one place that writes to the log: one line of JSON an event, never a word of anyone's memory. */
import type { ErrorData } from '#errors.ts';

export interface CallLog {
  readonly event: 'tool_call';
  /** Hash of the object's name: it tells threads apart and names none. */
  readonly thread: string;
  readonly tool: string;
  readonly outcome: 'ok' | 'refused' | ErrorData['code'];
  readonly ms: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  readonly revision: number | null;
}

export function logCall(entry: CallLog): void {
  console.log(JSON.stringify(entry));
}

export interface JobLog {
  readonly event: 'job';
  readonly thread: string;
  readonly job: string;
  /** `ok`, or the kind of the failure. */
  readonly outcome: string;
  /** In a row. */
  readonly failures: number;
  readonly ms: number;
  readonly revision: number | null;
}

/** A piece of background work. */
export function logJob(entry: JobLog): void {
  console.log(JSON.stringify(entry));
}

export interface BackupLog {
  readonly event: 'backup_run';
  /** Hash of the directory's name. */
  readonly directory: string;
  /** `failed` when a thread was given up until the next run, or a file cannot be read back. */
  readonly outcome: 'ok' | 'failed';
  /** The moment of the cron event, ISO 8601. */
  readonly at: string;
  /** Files and their bytes. */
  readonly written: number;
  readonly bytes: number;
  readonly failed: number;
  /** Of the files those that no import would take. */
  readonly unreadable: number;
  readonly pruned: number;
}

/** A run of backups that is over. */
export function logBackups(entry: BackupLog): void {
  console.log(JSON.stringify(entry));
}

/** An attempt to sign in, without what was typed. The platform's own log has the address. */
export function logSignIn(outcome: 'ok' | 'wrong' | 'limited'): void {
  console.log(JSON.stringify({ event: 'sign_in', outcome }));
}

export interface UnopenedLog {
  readonly event: 'not_opened';
  readonly thread: string;
  readonly reference: string;
  /** Names a migration. */
  readonly reason: string;
}

/** A thread that this version of the code cannot open. */
export function logUnopened(entry: UnopenedLog): void {
  console.error(JSON.stringify(entry));
}

/** A bug of ours, with the reference that the caller was given. The stack names code, not content. */
export function logBug(reference: string, error: unknown): void {
  const stack = error instanceof Error ? withoutMessage(error) : '';
  const kind = error instanceof Error ? error.name : typeof error;
  console.error(JSON.stringify({ event: 'internal_error', reference, kind, stack }));
}

/** What the protocol layer refused or failed at; the message is the library's own. */
export function logProtocol(error: Error): void {
  console.warn(JSON.stringify({ event: 'protocol', kind: error.name }));
}

/** A message may quote the value that SQLite or a parser choked on, so only the frames are kept. */
function withoutMessage(error: Error): string {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 12)
    .join('\n');
}
