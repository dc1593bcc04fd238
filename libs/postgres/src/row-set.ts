/** SQL type of a column, and the column's value of a row. */
type Column<T> = readonly [type: string, value: (row: T) => unknown];

/**
 * Passes rows to one statement as a list per column. It numbers the parameters, so a statement names columns only:
 * `const SENDS = new RowSet<Send>({ id: ['bigint', ({ id }) => id] })`, then `SELECT n.id FROM ${SENDS.from('n')}` with `SENDS.values(sends)`.
 */
export class RowSet<T> {
  private readonly columns: [name: string, Column<T>][];

  constructor(
    columns: Record<string, Column<T>>,
    /** Number of the first parameter. */
    private readonly first = 1,
  ) {
    this.columns = Object.entries(columns);
  }

  /** SQL of the rows as a table. @param ordinal name of a further column that counts the rows from 1 */
  from(alias: string, ordinal?: string): string {
    const lists = this.columns.map(([name, [type]]) => `${this.list(name)}::${type}[]`);
    const names = [...this.columns.map(([name]) => name), ...(ordinal === undefined ? [] : [ordinal])];
    return `unnest(${lists.join(', ')})${ordinal === undefined ? '' : ' WITH ORDINALITY'} AS ${alias} (${names.join(', ')})`;
  }

  /** SQL of one column's list, for example `$3`. */
  list(name: string): string {
    const place = this.columns.findIndex(([column]) => column === name);
    if (place === -1) throw new Error(`the row set has no column ${name}`);
    return `$${this.first + place}`;
  }

  /** SQL of one column's value in the row that the expression counts from 1. */
  at(name: string, nth: string): string {
    const type = this.columns.find(([column]) => column === name)?.[1][0];
    return `(${this.list(name)}::${type}[])[${nth}]`;
  }

  /** Number of the first parameter after these. */
  get next(): number {
    return this.first + this.columns.length;
  }

  /** The parameters, in the order of the columns. */
  values(rows: readonly T[]): unknown[][] {
    return this.columns.map(([, [, value]]) => rows.map(value));
  }
}
