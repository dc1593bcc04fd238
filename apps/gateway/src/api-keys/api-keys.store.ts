import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Access, FindAccess, Idempotency, Permission, Plan, RequestOf } from '@mgw/contracts';
import { Database, type Tx } from '@mgw/postgres';
import { zoneInForce, type Zones } from '../businesses/zones';
import { GatewayConfig } from '../gateway.config';
import { allowedFrom } from './allowed-ips';
import { idOfToken, newToken, tokenMac } from './api-key.token';
import { effectiveLimits, type SetLimits } from './effective-limits';
import type { KeyAccess } from './key-access';

/** A key with the limits that an operator set, not the limits in force. */
export interface ApiKeyRow extends SetLimits, Zones {
  id: number;
  business_id: number;
  name: string;
  permissions: Permission[];
  /** The id under which other services count its sends: that of the first key of its rotations. */
  sends_as: number;
  last_four: string;
  created_at: Date;
  last_used_at: Date | null;
  last_ip: string | null;
  expires_at: Date | null;
  allowed_ips: string[];
  revoked_at: Date | null;
  plan: Plan;
}

/** Limits and addresses are those of the key that it replaces. */
interface NewApiKey extends Partial<SetLimits> {
  business_id: number;
  name: string;
  permissions: Permission[];
  expires_at: Date | null;
  allowed_ips?: string[];
  sends_as?: number;
}

/** A key that an earlier request with the same Idempotency-Key created. */
export interface CreatedKey {
  id: number;
  fingerprint: string;
  /** Whether it is at most a day old, active and was never used. */
  is_fresh: boolean;
}

/** A business's own key, which an owner changes. `expires_at` is its own expiry, not the end of a rotation's grace. */
export type LockedKey = Required<Omit<NewApiKey, 'business_id'>> & { created_at: Date; has_heir: boolean; has_ended: boolean };

type ActiveKeyRow = Omit<ApiKeyRow, 'last_four' | 'created_at' | 'last_used_at' | 'last_ip' | 'revoked_at'> & {
  token_mac: Buffer;
  business_name: string;
  suspended: boolean;
  /** The position of the identity in the request, from 1. */
  position: string;
};

/** The id that finds a key, and the MAC that verifies it. */
export interface KeyIdentity {
  id: number;
  mac: Buffer;
}

const sendsAs = (key: string) => `coalesce(${key}.sends_as, ${key}.id)`;
const isActive = (key: string) => `(${key}.revoked_at IS NULL AND (${key}.expires_at IS NULL OR ${key}.expires_at > now()))`;

const ZONE_COLUMNS = 'b.timezone, b.previous_timezone, b.timezone_from, b.cap_resets_at';

/**
 * Finds keys with their businesses and updates their last use in one round trip. It is written at most once a minute, because an exact
 * time would cost a write per request. SKIP LOCKED skips keys that another transaction is changing, so gateways never wait for
 * each other.
 */
const FIND_ACTIVE = `
  WITH presented AS (
    SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::text[]) WITH ORDINALITY AS presented (id, mac, ip, position)
  ), found AS (
    SELECT presented.position, presented.mac, presented.ip, k.id, k.business_id, k.name, k.permissions, k.token_mac, k.per_minute_limit,
           k.daily_limit, k.expires_at, k.allowed_ips, ${sendsAs('k')} AS sends_as, k.last_used_at, b.name AS business_name, b.suspended_at IS NOT NULL AS suspended, b.plan, ${ZONE_COLUMNS}
      FROM presented JOIN access.api_keys k ON k.id = presented.id JOIN access.businesses b ON b.id = k.business_id
     WHERE ${isActive('k')}
  ), outdated AS (
    SELECT k.id, found.ip FROM found JOIN access.api_keys k USING (id)
     WHERE found.token_mac = found.mac AND coalesce(found.last_used_at < now() - interval '1 minute', true)
       FOR NO KEY UPDATE OF k SKIP LOCKED
  ), recorded AS (
    UPDATE access.api_keys k SET last_used_at = now(), last_ip = outdated.ip FROM outdated WHERE k.id = outdated.id
  )
  SELECT * FROM found`;

/** The newest key of a rotation decides; its heirs share the count of the first one. */
const FIND_IN_FORCE = `
  SELECT party.position, b.plan, ${ZONE_COLUMNS}, k.per_minute_limit, k.daily_limit
    FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS party (business_id, sends_as, position)
    JOIN access.businesses b ON b.id = party.business_id
    LEFT JOIN LATERAL (
      SELECT k.id, k.per_minute_limit, k.daily_limit FROM access.api_keys k
       WHERE k.business_id = b.id AND ${sendsAs('k')} = party.sends_as AND ${isActive('k')} ORDER BY k.id DESC LIMIT 1
    ) k ON true
   WHERE party.sends_as IS NULL OR k.id IS NOT NULL`;

const LIST = `
  SELECT k.id, k.business_id, k.name, k.permissions, k.last_four, k.per_minute_limit, k.daily_limit, k.created_at, k.last_used_at,
         k.last_ip, k.expires_at, k.allowed_ips, k.revoked_at, ${sendsAs('k')} AS sends_as, b.plan, ${ZONE_COLUMNS}
    FROM access.api_keys k JOIN access.businesses b ON b.id = k.business_id`;

@Injectable()
export class ApiKeysStore {
  /** Maximum number of keys in a list: active keys first, then those that ended last. */
  static readonly LIST_MAX = 1000;

  constructor(
    private readonly db: Database,
    private readonly config: GatewayConfig,
  ) {}

  /** @returns null for a malformed key */
  identityOf(token: string): KeyIdentity | null {
    const id = idOfToken(token);
    return id === null ? null : { id, mac: tokenMac(token, this.config.apiKeyPepper) };
  }

  /**
   * The access of each key, in the order of the identities; null for a key that is malformed, unknown, wrong, revoked or expired
   * (spec §5.3).
   * @param addressOf the address from which a key was used last
   */
  async findActive(
    identities: (KeyIdentity | null)[],
    addressOf: (id: number) => string | null = () => null,
  ): Promise<(KeyAccess | null)[]> {
    const wellFormed = identities.filter((identity) => identity !== null);
    if (wellFormed.length === 0) return identities.map(() => null);
    const rows = await this.db.query<ActiveKeyRow>(FIND_ACTIVE, [
      wellFormed.map(({ id }) => id),
      wellFormed.map(({ mac }) => mac),
      wellFormed.map(({ id }) => addressOf(id)),
    ]);
    const found = new Map(rows.map((row) => [wellFormed[Number(row.position) - 1], row]));
    return identities.map((identity) => {
      const row = identity && found.get(identity);
      return row && timingSafeEqual(row.token_mac, identity.mac) ? toAccess(row) : null;
    });
  }

  /**
   * Finds the plan, time zone and daily cap that hold now, in the order of the parties; null for an unknown business, or for a key that is not
   * active and has no active heir.
   */
  async findInForce(parties: RequestOf<typeof FindAccess>['parties']): Promise<(Access | null)[]> {
    const rows = await this.db.query<Zones & SetLimits & { position: string; plan: Plan }>(FIND_IN_FORCE, [
      parties.map(({ business_id }) => business_id),
      parties.map(({ api_key_id }) => api_key_id),
    ]);
    const found = new Map(rows.map((row) => [parties[Number(row.position) - 1], row]));
    return parties.map((party) => {
      const row = found.get(party);
      if (!row) return null;
      const daily_limit = party.api_key_id === null ? null : effectiveLimits(row.plan, row).daily_limit;
      return { plan: row.plan, timezone: zoneInForce(row), daily_limit };
    });
  }

  /** The names of these keys of the business, even of revoked ones. */
  async namesOf(businessId: number, ids: number[]): Promise<Map<number, string>> {
    const sql = 'SELECT id, name FROM access.api_keys WHERE business_id = $1 AND id = ANY ($2::bigint[])';
    const keys = ids.length > 0 ? await this.db.query<{ id: number; name: string }>(sql, [businessId, ids]) : [];
    return new Map(keys.map(({ id, name }) => [id, name]));
  }

  /** @returns the whole key, which is not stored */
  async add(tx: Tx, key: NewApiKey, idempotency: Idempotency | null = null): Promise<{ id: number; token: string }> {
    const [next] = await tx.query<{ id: number }>(`SELECT nextval(pg_get_serial_sequence('access.api_keys', 'id'))::integer AS id`);
    if (!next) throw new Error('a sequence returned no row');
    const token = newToken(next.id);
    await tx.query(
      `INSERT INTO access.api_keys (id, business_id, name, permissions, token_mac, last_four, expires_at,
                                    per_minute_limit, daily_limit, allowed_ips, sends_as, creation_key, creation_fingerprint)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      [
        ...[next.id, key.business_id, key.name, key.permissions, tokenMac(token, this.config.apiKeyPepper), token.slice(-4)],
        ...[key.expires_at, key.per_minute_limit ?? null, key.daily_limit ?? null, key.allowed_ips ?? [], key.sends_as ?? null],
        ...[idempotency?.key ?? null, idempotency?.fingerprint ?? null],
      ],
    );
    return { id: next.id, token };
  }

  /** Locks the key that a request with this Idempotency-Key created until the transaction ends. */
  async lockCreated(tx: Tx, business_id: number, idempotencyKey: string): Promise<CreatedKey | null> {
    const [key] = await tx.query<CreatedKey>(
      `SELECT k.id, k.creation_fingerprint AS fingerprint,
              k.last_used_at IS NULL AND k.created_at > now() - interval '24 hours' AND ${isActive('k')} AS is_fresh
         FROM access.api_keys k WHERE k.business_id = $1::bigint AND k.creation_key = $2 FOR NO KEY UPDATE OF k`,
      [business_id, idempotencyKey],
    );
    return key ?? null;
  }

  /** Gives a key a new secret, which ends the old one. @returns the whole key */
  async replaceToken(tx: Tx, id: number): Promise<{ id: number; token: string }> {
    const token = newToken(id);
    await tx.query('UPDATE access.api_keys SET token_mac = $2, last_four = $3 WHERE id = $1::bigint', [
      ...[id, tokenMac(token, this.config.apiKeyPepper), token.slice(-4)],
    ]);
    return { id, token };
  }

  /** Lists the keys of one business, or of all. */
  list(business_id: number | null): Promise<ApiKeyRow[]> {
    const listed = (condition: string) =>
      `${LIST} ${condition} ORDER BY CASE WHEN ${isActive('k')} THEN NULL ELSE least(k.revoked_at, k.expires_at) END DESC NULLS FIRST, k.id LIMIT $1`;
    return business_id === null
      ? this.db.query<ApiKeyRow>(listed(''), [ApiKeysStore.LIST_MAX])
      : this.db.query<ApiKeyRow>(listed('WHERE k.business_id = $2::bigint'), [ApiKeysStore.LIST_MAX, business_id]);
  }

  /** Counts active keys, and locks the business against further ones until the transaction ends. */
  async countInUse(tx: Tx, business_id: number): Promise<number> {
    await tx.query(`SELECT 1 FROM access.businesses WHERE id = $1::bigint FOR NO KEY UPDATE`, [business_id]);
    const [row] = await tx.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM access.api_keys k WHERE business_id = $1::bigint AND ${isActive('k')}`,
      [business_id],
    );
    return row?.count ?? 0;
  }

  /** Locks a key until the transaction ends. @returns null for a key that is unknown or of another business */
  async lockOwn(tx: Tx, business_id: number, id: number): Promise<LockedKey | null> {
    const [key] = await tx.query<LockedKey>(
      `SELECT k.name, k.permissions, k.per_minute_limit, k.daily_limit, k.allowed_ips, k.created_at,
              nullif(coalesce(k.own_expires_at, k.expires_at), 'infinity') AS expires_at, ${sendsAs('k')} AS sends_as,
              NOT ${isActive('k')} AS has_ended, EXISTS (
                SELECT FROM access.api_keys heir WHERE heir.sends_as = ${sendsAs('k')} AND heir.id > k.id AND ${isActive('heir')}
              ) AS has_heir
         FROM access.api_keys k WHERE k.business_id = $1::bigint AND k.id = $2::bigint FOR NO KEY UPDATE OF k`,
      [business_id, id],
    );
    return key ?? null;
  }

  /** Leaves absent fields unchanged. @param change a null `expires_at` removes the expiry */
  async edit(tx: Tx, id: number, change: { name?: string; expires_at?: Date | null; allowed_ips?: string[] }): Promise<void> {
    await tx.query(
      `UPDATE access.api_keys SET name = coalesce($2, name), allowed_ips = coalesce($4, allowed_ips),
              expires_at = CASE WHEN $5 THEN NULL ELSE coalesce($3, expires_at) END,
              own_expires_at = CASE WHEN $5 OR $3 IS NOT NULL THEN NULL ELSE own_expires_at END
        WHERE id = $1::bigint`,
      [id, change.name ?? null, change.expires_at ?? null, change.allowed_ips ?? null, change.expires_at === null],
    );
  }

  /** Never extends the key's life. @returns its expiry */
  async endAfter(tx: Tx, id: number, minutes: number): Promise<Date> {
    const [row] = await tx.query<{ expires_at: Date }>(
      `UPDATE access.api_keys SET expires_at = least(expires_at, now() + make_interval(mins => $2)),
              own_expires_at = coalesce(own_expires_at, expires_at, 'infinity')
        WHERE id = $1::bigint RETURNING expires_at`,
      [id, minutes],
    );
    if (!row) throw new Error('a locked key returned no row');
    return row.expires_at;
  }

  /** @returns the name of the key; null if it is unknown, of another business, or already revoked */
  async revoke(tx: Tx, business_id: number, id: number): Promise<string | null> {
    const [revoked] = await tx.query<{ name: string }>(
      `UPDATE access.api_keys SET revoked_at = now() WHERE id = $1::bigint AND business_id = $2::bigint AND revoked_at IS NULL RETURNING name`,
      [id, business_id],
    );
    return revoked?.name ?? null;
  }

  /** Leaves absent fields unchanged. @returns the key's business, or null for an unknown id */
  async changeLimits(tx: Tx, id: number, change: Partial<SetLimits> & { expires_at?: Date | null }): Promise<number | null> {
    const [row] = await tx.query<{ business_id: number }>(
      `UPDATE access.api_keys SET per_minute_limit = coalesce($2, per_minute_limit), daily_limit = coalesce($3, daily_limit),
              expires_at = CASE WHEN $5 THEN NULL ELSE coalesce($4, expires_at) END,
              own_expires_at = CASE WHEN $5 OR $4 IS NOT NULL THEN NULL ELSE own_expires_at END
        WHERE id = $1::bigint RETURNING business_id`,
      [id, change.per_minute_limit ?? null, change.daily_limit ?? null, change.expires_at ?? null, change.expires_at === null],
    );
    return row?.business_id ?? null;
  }
}

function toAccess(row: ActiveKeyRow): KeyAccess {
  return {
    api_key_id: row.id,
    sends_as: row.sends_as,
    api_key_name: row.name,
    permissions: row.permissions,
    ...effectiveLimits(row.plan, row),
    expires_at: row.expires_at,
    allowsFrom: allowedFrom(row.allowed_ips),
    business: {
      id: row.business_id,
      name: row.business_name,
      suspended: row.suspended,
      plan: row.plan,
      zones: {
        timezone: row.timezone,
        previous_timezone: row.previous_timezone,
        timezone_from: row.timezone_from,
        cap_resets_at: row.cap_resets_at,
      },
    },
  };
}
