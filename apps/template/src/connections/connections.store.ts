import { Injectable } from '@nestjs/common';
import {
  GatewayError,
  type Connection,
  type ListedConnection,
  type NumberDetails,
  type RequestOf,
  type Restriction,
  type SetConnection,
} from '@mgw/contracts';
import { Database, type Tx } from '@mgw/postgres';

/** The end of each restriction (ISO time) by the platform's name of it; null for no end. */
type RestrictionEnds = Record<string, string | null>;

/** A connection with a due probe. */
export interface DueProbe {
  connection: Connection;
  /** Identifies the claim. If it has changed, newer information exists and the probe's result is dropped. PostgreSQL's text of a time. */
  claim: string;
}

interface ConnectionRow extends Omit<Connection, 'business_id' | 'checked_at' | 'restriction'> {
  restrictions: RestrictionEnds;
  business_id: string;
  checked_at: Date | null;
}

interface ProbeResult {
  /** Null keeps what is known. */
  number: NumberDetails | null;
  status: Connection['status'];
  problem: string | null;
  /** The platform accepts the business's token for this number. */
  isNumberVerified: boolean;
  nextInSeconds: number;
}

/** It stays valid for a day (platform §4.2). */
const PREVIOUS_APP_SECRET = `CASE WHEN app_secret_changed_at > now() - interval '24 hours' THEN previous_app_secret_sealed END`;
const COLUMNS = `business_id, phone_number_id, business_account_id, access_token_sealed, app_secret_sealed,
  ${PREVIOUS_APP_SECRET} AS previous_app_secret_sealed,
  verify_token_sealed, status, checked_at, problem, restrictions, number_details AS number,
  EXISTS (SELECT FROM template.suspensions s WHERE s.business_id = connections.business_id) AS suspended`;
const PAGE_SIZE = 500;
/** How long a claim of a probe lasts, and the minimum interval of probes after a problem, in seconds. */
const PROBE_CLAIM_S = 60;

/** Stores connections with sealed secrets. */
@Injectable()
export class ConnectionsStore {
  constructor(private readonly db: Database) {}

  async find(businessId: number): Promise<Connection | null> {
    return (await this.findAll([businessId]))[0] ?? null;
  }

  /** @returns connections in the order of `businessIds`; null for a business without one */
  async findAll(businessIds: number[]): Promise<(Connection | null)[]> {
    const sql = `SELECT ${COLUMNS} FROM template.connections WHERE business_id = ANY ($1::bigint[])`;
    const rows = await this.db.query<ConnectionRow>(sql, [businessIds]);
    const found = new Map(rows.map((row) => [Number(row.business_id), toConnection(row)]));
    return businessIds.map((businessId) => found.get(businessId) ?? null);
  }

  async page(afterBusinessId: number): Promise<ListedConnection[]> {
    const sql = `SELECT ${COLUMNS}, number_verified_at FROM template.connections WHERE business_id > $1 ORDER BY business_id LIMIT ${PAGE_SIZE}`;
    const rows = await this.db.query<ConnectionRow & { number_verified_at: Date | null }>(sql, [afterBusinessId]);
    return rows.map(({ number_verified_at, ...row }) => ({
      ...toConnection(row),
      number_verified_at: number_verified_at?.toISOString() ?? null,
    }));
  }

  /**
   * A business may claim any number: a refusal would reveal who else uses the gateway (decision 255). A new number, or a change after
   * a problem, needs a new verification.
   * @param keepsAppSecret whether a replaced app secret stays valid for a day
   * @throws GatewayError VALIDATION_FAILED when the first connection lacks a secret
   */
  async save(
    change: RequestOf<typeof SetConnection>,
    keepsAppSecret: (stored: string, replacement: string) => boolean,
  ): Promise<Connection> {
    const { business_id, phone_number_id, business_account_id, access_token_sealed, app_secret_sealed, verify_token_sealed } = change;
    const secrets = { access_token: access_token_sealed, app_secret: app_secret_sealed, verify_token: verify_token_sealed };
    const values = [business_id, phone_number_id, business_account_id, ...Object.values(secrets).map((sealed) => sealed ?? null)];
    const missing = Object.entries(secrets).flatMap(([field, sealed]) => (sealed === undefined ? [field] : []));
    const row = await this.db.transaction(async (tx) => {
      const [created] = missing.length === 0 ? await this.create(tx, values) : [];
      if (created) return created;
      // Concurrent changes wait here: each compares its app secret with the one that it replaces.
      const [stored] = await tx.query<{ app_secret_sealed: string }>(
        'SELECT app_secret_sealed FROM template.connections WHERE business_id = $1 FOR NO KEY UPDATE',
        [business_id],
      );
      if (!stored) {
        throw new GatewayError('VALIDATION_FAILED', 'The first connection needs access_token, app_secret and verify_token.', {
          details: missing.map((field) => ({ field, message: 'is required for the first connection' })),
        });
      }
      const keeps = app_secret_sealed !== undefined && keepsAppSecret(stored.app_secret_sealed, app_secret_sealed);
      const [changed] = await tx.query<ConnectionRow>(
        `UPDATE template.connections SET phone_number_id = $2, business_account_id = $3,
           access_token_sealed = coalesce($4, access_token_sealed),
           previous_app_secret_sealed = CASE WHEN $7 THEN app_secret_sealed ELSE previous_app_secret_sealed END,
           app_secret_changed_at = CASE WHEN $7 THEN now() ELSE app_secret_changed_at END,
           app_secret_sealed = coalesce($5, app_secret_sealed),
           verify_token_sealed = coalesce($6, verify_token_sealed),
           restrictions = CASE WHEN business_account_id = $3 THEN restrictions ELSE '{}' END,
           number_verified_at = CASE WHEN phone_number_id = $2 AND status <> 'problem' THEN number_verified_at END,
           number_details = CASE WHEN phone_number_id = $2 THEN number_details END,
           status = 'unchecked', checked_at = NULL, problem = NULL, probe_at = now()
         WHERE business_id = $1 RETURNING ${COLUMNS}`,
        [...values, keeps],
      );
      return changed;
    });
    return toConnection(row as ConnectionRow);
  }

  /** @param claim of the probe; a newer change or report has another claim, and the result is dropped. Null records in any case */
  async recordProbe(
    businessId: number,
    { status, problem, number, isNumberVerified, nextInSeconds, claim }: ProbeResult & { claim: string | null },
  ): Promise<boolean> {
    const rows = await this.db.query<{ changed: boolean }>(
      `UPDATE template.connections c SET status = $2, problem = $3, checked_at = now(), probe_at = now() + make_interval(secs => $4),
         number_verified_at = CASE WHEN $6 THEN coalesce(c.number_verified_at, now()) ELSE c.number_verified_at END,
         number_details = coalesce($7::jsonb, c.number_details)
       FROM (SELECT status, number_verified_at IS NULL AS is_unverified FROM template.connections WHERE business_id = $1 AND probe_at = coalesce($5::timestamptz, probe_at) FOR UPDATE) before
       WHERE c.business_id = $1 RETURNING before.status <> $2 OR before.is_unverified AND $6 AS changed`,
      [businessId, status, problem, nextInSeconds, claim, isNumberVerified, number && JSON.stringify(number)],
    );
    return rows[0]?.changed ?? false;
  }

  /**
   * Claims due probes for PROBE_CLAIM_S seconds. Deletes the previous app secret if its day is over: each connection has a probe every ten
   * minutes at the latest.
   */
  async claimDue(atMost: number): Promise<DueProbe[]> {
    const rows = await this.db.query<ConnectionRow & { claim: string }>(
      `UPDATE template.connections SET probe_at = now() + interval '${PROBE_CLAIM_S} seconds', previous_app_secret_sealed = ${PREVIOUS_APP_SECRET} WHERE business_id = ANY (ARRAY(
       SELECT business_id FROM template.connections WHERE probe_at <= now() ORDER BY probe_at LIMIT $1 FOR UPDATE SKIP LOCKED))
       RETURNING ${COLUMNS}, probe_at::text AS claim`,
      [atMost],
    );
    return rows.map(({ claim, ...row }) => ({ connection: toConnection(row), claim }));
  }

  async setSuspended(businessId: number, suspended: boolean): Promise<void> {
    const sql = suspended
      ? 'INSERT INTO template.suspensions (business_id) VALUES ($1) ON CONFLICT DO NOTHING'
      : 'DELETE FROM template.suspensions WHERE business_id = $1';
    await this.db.query(sql, [businessId]);
  }

  /** Replaces all restrictions. */
  async setRestrictions(tx: Tx, businessId: number, restrictions: RestrictionEnds): Promise<void> {
    await tx.query('UPDATE template.connections SET restrictions = $2 WHERE business_id = $1', [businessId, restrictions]);
  }

  /** Marks the account as closed for sending and schedules a probe. */
  async markClosed(tx: Tx, businessId: number, problem: string): Promise<void> {
    await tx.query(
      `UPDATE template.connections SET status = 'problem', problem = $2, checked_at = now(), probe_at = now() + interval '${PROBE_CLAIM_S} seconds'
       WHERE business_id = $1`,
      [businessId, problem],
    );
  }

  /** Schedules a probe for now, because the connection may work again. */
  async scheduleProbe(businessId: number, tx: Pick<Tx, 'query'> = this.db): Promise<void> {
    await tx.query('UPDATE template.connections SET probe_at = now() WHERE business_id = $1', [businessId]);
  }

  /** @returns nothing if the business has a connection */
  private create(tx: Tx, values: unknown[]): Promise<ConnectionRow[]> {
    return tx.query<ConnectionRow>(
      `INSERT INTO template.connections
         (business_id, phone_number_id, business_account_id, access_token_sealed, app_secret_sealed, verify_token_sealed)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (business_id) DO NOTHING RETURNING ${COLUMNS}`,
      values,
    );
  }
}

function toConnection({ restrictions, ...row }: ConnectionRow): Connection {
  return {
    ...row,
    business_id: Number(row.business_id),
    checked_at: row.checked_at?.toISOString() ?? null,
    restriction: activeRestriction(restrictions),
  };
}

function activeRestriction(restrictions: RestrictionEnds): Restriction | null {
  const now = new Date().toISOString();
  const left = Object.entries(restrictions).filter(([, until]) => until === null || until > now);
  if (left.length === 0) return null;
  const ends = left.map(([, until]) => until).sort();
  return { kinds: left.map(([kind]) => kind), until: ends.includes(null) ? null : (ends.at(-1) ?? null) };
}
