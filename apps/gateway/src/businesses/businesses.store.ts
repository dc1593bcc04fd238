import { Injectable } from '@nestjs/common';
import { idempotencyMismatch, notFound, type Idempotency, type Plan } from '@mgw/contracts';
import { Database, type Tx } from '@mgw/postgres';
import type { Zones } from './zones';

export interface Business extends Zones {
  id: number;
  name: string;
  plan: Plan;
  /** Recipients of broadcasts in a day, set by an operator; null for the plan's limit. */
  broadcast_daily_limit: number | null;
  suspended: boolean;
  /** Whether every person of the business needs two-step login. */
  require_totp: boolean;
  created_at: Date;
}
export type BusinessFields = Pick<Business, 'name' | 'plan' | 'timezone'>;
type BusinessChange = Partial<BusinessFields> & { broadcast_daily_limit?: number; suspended?: boolean; require_totp?: boolean };

const FIELDS = `id, name, plan, broadcast_daily_limit, suspended_at IS NOT NULL AS suspended, require_totp, timezone, previous_timezone, timezone_from, cap_resets_at, created_at`;
/** Recipients of broadcasts in a day (decision 55). */
const BROADCAST_LIMITS: Record<Plan, number> = { Growth: 1_000, Pro: 20_000, Starter: 0 };

/** The limit in force. An operator's limit overrides the plan's. */
export function broadcastDailyLimit({ plan, broadcast_daily_limit }: Business): number {
  return broadcast_daily_limit ?? BROADCAST_LIMITS[plan];
}

/**
 * A new zone takes effect at the next midnight of the current zone; a second change before then replaces the first (decision 53). The
 * daily cap resets at that midnight too, unless the new zone is still on the same date. Then it resets when the date ends there, so
 * that a change of zone never gives two caps for one date.
 */
const CHANGE_ZONE = `
  UPDATE access.businesses b
     SET timezone = $2,
         previous_timezone = CASE WHEN $2 = z.zone THEN NULL ELSE z.zone END,
         timezone_from = CASE WHEN $2 = z.zone THEN NULL ELSE z.tomorrow AT TIME ZONE z.zone END,
         cap_resets_at = CASE WHEN $2 = z.zone THEN NULL ELSE greatest(z.tomorrow AT TIME ZONE z.zone, z.tomorrow AT TIME ZONE $2) END
    FROM (SELECT id, zone, ((now AT TIME ZONE zone)::date + 1)::timestamp AS tomorrow
            FROM (SELECT id, now, CASE WHEN timezone_from > now THEN previous_timezone ELSE timezone END AS zone
                    FROM access.businesses, (SELECT coalesce($3::timestamptz, clock_timestamp()) AS now) clock) held) z
   WHERE b.id = $1::bigint AND z.id = b.id`;

@Injectable()
export class BusinessesStore {
  constructor(private readonly db: Database) {}

  /** @param search part of the name, or an id; null for all businesses */
  list(search: string | null): Promise<Business[]> {
    return this.db.query<Business>(
      `SELECT ${FIELDS} FROM access.businesses WHERE $1::text IS NULL OR position(lower($1) IN lower(name)) > 0 OR id::text = $1 ORDER BY id`,
      [search],
    );
  }

  async find(id: number): Promise<Business | null> {
    const [row] = await this.db.query<Business>(`SELECT ${FIELDS} FROM access.businesses WHERE id = $1::bigint`, [id]);
    return row ?? null;
  }

  /** @throws GatewayError NOT_FOUND */
  async get(id: number): Promise<Business> {
    const business = await this.find(id);
    if (!business) throw notFound();
    return business;
  }

  /** A repeated Idempotency-Key returns the business that it created (decision 785). @throws GatewayError IDEMPOTENCY_MISMATCH */
  async add(tx: Tx, { name, plan, timezone }: BusinessFields, idempotency: Idempotency | null): Promise<{ id: number; replayed: boolean }> {
    const [added] = await tx.query<{ id: number }>(
      `INSERT INTO access.businesses (name, plan, timezone, creation_key, creation_fingerprint) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (creation_key) WHERE creation_key IS NOT NULL DO NOTHING RETURNING id`,
      [name, plan, timezone, idempotency?.key ?? null, idempotency?.fingerprint ?? null],
    );
    if (added) return { ...added, replayed: false };
    const [earlier] = await tx.query<{ id: number; fingerprint: string }>(
      'SELECT id, creation_fingerprint AS fingerprint FROM access.businesses WHERE creation_key = $1',
      [idempotency?.key ?? null],
    );
    if (!earlier) throw new Error('an insert returned no row');
    if (earlier.fingerprint !== idempotency?.fingerprint) throw idempotencyMismatch('business');
    return { id: earlier.id, replayed: true };
  }

  /**
   * Leaves absent fields unchanged.
   * @param now replaces the database's clock in tests of midnight
   * @returns false for an unknown id
   */
  async change(tx: Tx, id: number, fields: BusinessChange, now: Date | null = null): Promise<boolean> {
    const { name, plan, timezone, broadcast_daily_limit, suspended, require_totp } = fields;
    const changed = await tx.query(
      `UPDATE access.businesses SET name = coalesce($2, name), plan = coalesce($3, plan),
         broadcast_daily_limit = coalesce($4, broadcast_daily_limit),
         suspended_at = CASE WHEN $5::boolean IS NULL THEN suspended_at WHEN $5 THEN coalesce(suspended_at, now()) END,
         require_totp = coalesce($6, require_totp)
       WHERE id = $1::bigint RETURNING id`,
      [id, name ?? null, plan ?? null, broadcast_daily_limit ?? null, suspended ?? null, require_totp ?? null],
    );
    // The first statement locked the row.
    if (timezone !== undefined && changed.length > 0) await tx.query(CHANGE_ZONE, [id, timezone, now]);
    return changed.length > 0;
  }

  /**
   * The zone's name in PostgreSQL's spelling, or null. PostgreSQL computes the caps, so it must know the zone. It reads CET, EET, MET and
   * WET as abbreviations without summer time.
   */
  async timezoneNamed(name: string): Promise<string | null> {
    const [row] = await this.db.query<{ name: string }>(
      `SELECT name FROM pg_timezone_names WHERE lower(name) = lower($1) AND name NOT IN ('CET', 'EET', 'MET', 'WET')`,
      [name],
    );
    return row?.name ?? null;
  }
}
