/** A run of backups counts the files that could not be read back. */

const STATEMENTS = /* sql */ `
ALTER TABLE backup_run ADD COLUMN unreadable INTEGER NOT NULL DEFAULT 0;
`;

/** Of all statements. `migrations.node.test.ts` compares it. */
export const CHECKSUM = 1873100605;

export function up(): string {
  return STATEMENTS;
}
