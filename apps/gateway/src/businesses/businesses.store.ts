import { Injectable } from '@nestjs/common';
import type { Plan } from '@mgw/contracts';
import { Database, type Tx } from '@mgw/postgres';

export interface Business {
  id: number;
  name: string;
  plan: Plan;
  /** IANA zone whose midnight resets the daily cap (product decision 20). */
  timezone: string;
  created_at: Date;
}
export type BusinessFields = Pick<Business, 'name' | 'plan' | 'timezone'>;

const FIELDS = `id, name, plan, timezone, created_at`;

@Injectable()
export class BusinessesStore {
  constructor(private readonly db: Database) {}

  list(): Promise<Business[]> {
    return this.db.query<Business>(`SELECT ${FIELDS} FROM access.businesses ORDER BY id`);
  }

  async find(id: number): Promise<Business | null> {
    const [row] = await this.db.query<Business>(`SELECT ${FIELDS} FROM access.businesses WHERE id = $1::bigint`, [id]);
    return row ?? null;
  }

  async add(tx: Tx, { name, plan, timezone }: BusinessFields): Promise<number> {
    const [row] = await tx.query<{ id: number }>(`INSERT INTO access.businesses (name, plan, timezone) VALUES ($1, $2, $3) RETURNING id`, [
      name,
      plan,
      timezone,
    ]);
    if (!row) throw new Error('an insert returned no row');
    return row.id;
  }

  /** Only what is given changes. @returns false for an unknown id. */
  async change(tx: Tx, id: number, { name, plan, timezone }: Partial<BusinessFields>): Promise<boolean> {
    const changed = await tx.query(
      `UPDATE access.businesses SET name = coalesce($2, name), plan = coalesce($3, plan), timezone = coalesce($4, timezone)
       WHERE id = $1::bigint RETURNING id`,
      [id, name ?? null, plan ?? null, timezone ?? null],
    );
    return changed.length > 0;
  }

  /**
   * The zone's name as the database spells it, or null: caps are reckoned there, so it must know the zone. It takes CET and its like for
   * abbreviations, which have no summer.
   */
  async timezoneNamed(name: string): Promise<string | null> {
    const [row] = await this.db.query<{ name: string }>(
      `SELECT name FROM pg_timezone_names WHERE lower(name) = lower($1) AND name NOT IN ('CET', 'EET', 'MET', 'WET')`,
      [name],
    );
    return row?.name ?? null;
  }
}
