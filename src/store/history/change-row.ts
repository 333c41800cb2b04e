/** A row of `change`, but for the key of the row that it is of. */
export interface ChangeRow {
  revision_id: number;
  seq: number;
  table_name: string;
  before: string | null;
  after: string | null;
}
