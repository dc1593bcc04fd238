import { GatewayError, MAX_INBOX_LIST, notFound } from '@mgw/contracts';
import { isAboutValues, type Database } from '@mgw/postgres';

/** A short list of a business: its labels or its quick replies. */
export class InboxListStore<Row extends { id: number }> {
  /** @param columns the first one is unique within a business */
  constructor(
    private readonly db: Database,
    private readonly table: 'labels' | 'quick_replies',
    private readonly columns: [Exclude<keyof Row & string, 'id'>, Exclude<keyof Row & string, 'id'>],
  ) {}

  async list(businessId: number): Promise<Row[]> {
    const [key, value] = this.columns;
    const rows = await this.db
      .reads(businessId)
      .query<Row>(`SELECT id, ${key}, ${value} FROM send.${this.table} WHERE business_id = $1 ORDER BY ${key}`, [businessId]);
    return rows.map((row) => ({ ...row, id: Number(row.id) }));
  }

  /** @throws GatewayError CONFLICT for a name that is taken, or a full list */
  async create(businessId: number, row: Omit<Row, 'id'>): Promise<{ id: number }> {
    const [key, value] = this.columns;
    const [created] = await this.db.query<{ id: string }>(
      `INSERT INTO send.${this.table} (business_id, ${key}, ${value})
       SELECT $1, $2, $3 WHERE (SELECT count(*) FROM send.${this.table} WHERE business_id = $1) < ${MAX_INBOX_LIST}
       ON CONFLICT DO NOTHING RETURNING id`,
      [businessId, row[key as keyof typeof row], row[value as keyof typeof row]],
    );
    if (!created) throw this.conflict();
    return { id: Number(created.id) };
  }

  /** Leaves absent members unchanged. @throws GatewayError NOT_FOUND, CONFLICT */
  async update(businessId: number, id: number, row: Partial<Omit<Row, 'id'>>): Promise<void> {
    const [key, value] = this.columns;
    const changed = await this.db
      .query(
        `UPDATE send.${this.table} SET ${key} = coalesce($3, ${key}), ${value} = coalesce($4, ${value}) WHERE business_id = $1 AND id = $2 RETURNING id`,
        [businessId, id, row[key as keyof typeof row] ?? null, row[value as keyof typeof row] ?? null],
      )
      .catch((error: unknown) => {
        throw isAboutValues(error) ? this.conflict() : error;
      });
    if (changed.length === 0) throw notFound();
  }

  /** A label leaves its conversations too, perhaps hundreds of thousands. @returns the deleted row. @throws GatewayError NOT_FOUND, RATE_LIMITED */
  async delete(businessId: number, id: number): Promise<Omit<Row, 'id'>> {
    const [key, value] = this.columns;
    const sql = `DELETE FROM send.${this.table} WHERE business_id = $1 AND id = $2 RETURNING ${key}, ${value}`;
    const [deleted] = await this.db.largeChange(businessId, (tx) => tx.query<Omit<Row, 'id'>>(sql, [businessId, id]));
    if (!deleted) throw notFound();
    return deleted;
  }

  private conflict(): GatewayError {
    const [key] = this.columns;
    return new GatewayError('CONFLICT', `This ${key} is taken, or there are ${MAX_INBOX_LIST} already. Choose another one, or delete one.`);
  }
}
