/** The threads that were begun of late. The rules of `0001-initial.ts` hold here too. */

const SCHEMA = /* sql */ `
-- Who was let begin which memory, and when: an hour of it, for the limits of new threads.
CREATE TABLE opening (
  thread_id TEXT    NOT NULL,
  owner     TEXT    NOT NULL,
  actor     TEXT    NOT NULL,
  at        INTEGER NOT NULL, -- epoch milliseconds
  PRIMARY KEY (thread_id, owner)
) STRICT, WITHOUT ROWID;
CREATE INDEX opening_at ON opening (at);
`;

/** Of all statements. `migrations.node.test.ts` compares it. */
export const CHECKSUM = 3495436842;

export function up(): string {
  return SCHEMA;
}
