import { Injectable } from '@nestjs/common';
import { GatewayError, idempotencyMismatch, KeyChanged, notFound, type Idempotency } from '@mgw/contracts';
import { Database, type Tx } from '@mgw/postgres';
import { RpcClient } from '@mgw/rpc';
import { AuditStore } from '../audit/audit.store';
import { invalid } from '../requests/refusals';
import { withoutNulls } from '../requests/without-nulls';
import { idempotencyOf, scopedTo } from '../requests/idempotency';
import type { BusinessUser, SessionUser } from '../sessions/session-user';
import { apiKeyRecord, type ApiKeyRecord } from './api-key.record';
import type { ChangeApiKeyRequest, CreateApiKeyRequest, EditApiKeyRequest } from './api-keys.requests';
import { ApiKeysStore, type LockedKey } from './api-keys.store';
import { DailyUsage } from './daily-usage';

/** Maximum number of active keys of one business. */
const MAX_ACTIVE = 100;

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly db: Database,
    private readonly keys: ApiKeysStore,
    private readonly usage: DailyUsage,
    private readonly audit: AuditStore,
    private readonly rpc: RpcClient,
  ) {}

  /** @param business_id null for the keys of all businesses */
  async list(business_id: number | null): Promise<(ApiKeyRecord & { business_id: number })[]> {
    const rows = await this.keys.list(business_id);
    const usage = await this.usage.byKey(rows);
    return rows.map((row) => ({ ...apiKeyRecord(row, usage), business_id: row.business_id }));
  }

  /**
   * A repeated Idempotency-Key gives the key that it created a new secret, because the secret of a lost response is not stored (decision 785).
   * @returns the whole key, which cannot be shown again (spec §2.7)
   * @throws GatewayError IDEMPOTENCY_MISMATCH; CONFLICT if the key of the first request is in use or has ended
   */
  async create(
    { user_id, business_id }: BusinessUser,
    request: CreateApiKeyRequest,
    idempotencyKey: string | undefined,
  ): Promise<{ id: number; token: string; replayed: boolean }> {
    const { name } = request;
    const expires_at = request.expires_at ? futureExpiry(request.expires_at) : null;
    const permissions = [...new Set(request.permissions)];
    const entry = { user_id, business_id, action: 'api-key.created' } as const;
    const fields = { name, permissions, expires_at };
    const idempotency = scopedTo(`user:${user_id}`, idempotencyOf(idempotencyKey, 'create-api-key', fields));
    const created = await this.db.transaction(async (tx) => {
      const inUse = await this.keys.countInUse(tx, business_id);
      const earlier = idempotency && (await this.repeat(tx, business_id, idempotency));
      if (!earlier && inUse >= MAX_ACTIVE) throw tooMany();
      const key = earlier ?? (await this.keys.add(tx, { business_id, ...fields }, idempotency));
      const detail = { name, permissions, ...(earlier && { replayed: true }) };
      await this.audit.add({ ...entry, target: `api-key:${key.id}`, detail }, tx);
      return { ...key, replayed: earlier !== null };
    });
    if (created.replayed) this.rpc.announce(KeyChanged, { api_key_id: created.id });
    return created;
  }

  /** @returns the key of the first request with a new secret; null if there was none */
  private async repeat(tx: Tx, business_id: number, { key, fingerprint }: Idempotency): Promise<{ id: number; token: string } | null> {
    const earlier = await this.keys.lockCreated(tx, business_id, key);
    if (!earlier) return null;
    if (earlier.fingerprint !== fingerprint) throw idempotencyMismatch('API key');
    if (earlier.is_fresh) return this.keys.replaceToken(tx, earlier.id);
    throw new GatewayError('CONFLICT', 'A request with this Idempotency-Key created an API key already, and it is in use or has ended.', {
      hint: 'Use a new Idempotency-Key for another API key.',
    });
  }

  async edit({ user_id, business_id }: BusinessUser, id: number, request: EditApiKeyRequest): Promise<void> {
    const { expires_at, never_expires, ...others } = withoutNulls(request);
    const change = { ...others, ...expiryChange({ expires_at, never_expires }, futureExpiry) };
    await this.db.transaction(async (tx) => {
      if ((await this.lock(tx, business_id, id)).has_ended) throw hasEnded();
      await this.keys.edit(tx, id, change);
      await this.audit.add({ user_id, business_id, action: 'api-key.changed', target: `api-key:${id}`, detail: change }, tx);
    });
    this.rpc.announce(KeyChanged, { api_key_id: id });
  }

  /**
   * Creates an heir with the key's name, rights, limits and addresses, and ends the key after the grace. An expiring key's heir gets the
   * same lifetime.
   */
  async rotate(
    { user_id, business_id }: BusinessUser,
    id: number,
    grace_minutes: number,
  ): Promise<{ id: number; token: string; expires_at: Date | null; old_expires_at: Date }> {
    const rotated = await this.db.transaction(async (tx) => {
      const inUse = await this.keys.countInUse(tx, business_id);
      const { has_heir, has_ended, created_at, expires_at, ...key } = await this.lock(tx, business_id, id);
      // Even if it has ended: after a lost response nobody has the secret of the heir, which works all the same.
      if (has_heir) throw new GatewayError('CONFLICT', 'This API key was rotated already. Rotate the key that replaced it.');
      if (has_ended) throw hasEnded();
      if (grace_minutes > 0 && inUse >= MAX_ACTIVE) throw tooMany();
      const heirExpiresAt = expires_at && new Date(Date.now() + expires_at.getTime() - created_at.getTime());
      const heir = await this.keys.add(tx, { ...key, business_id, expires_at: heirExpiresAt });
      const old_expires_at = await this.keys.endAfter(tx, id, grace_minutes);
      const detail = { name: key.name, heir: heir.id, grace_minutes };
      await this.audit.add({ user_id, business_id, action: 'api-key.rotated', target: `api-key:${id}`, detail }, tx);
      return { ...heir, expires_at: heirExpiresAt, old_expires_at };
    });
    this.rpc.announce(KeyChanged, { api_key_id: id });
    return rotated;
  }

  async revoke({ user_id, business_id }: BusinessUser, id: number): Promise<void> {
    await this.db.transaction(async (tx) => {
      const name = await this.keys.revoke(tx, business_id, id);
      if (name === null) throw notFound();
      await this.audit.add({ user_id, business_id, action: 'api-key.revoked', target: `api-key:${id}`, detail: { name } }, tx);
    });
    this.rpc.announce(KeyChanged, { api_key_id: id });
  }

  /** An operator overrides the defaults of the plan (spec §11). */
  async change({ user_id }: SessionUser, id: number, request: ChangeApiKeyRequest): Promise<void> {
    const { expires_at, never_expires, ...limits } = withoutNulls(request);
    const change = { ...limits, ...expiryChange({ expires_at, never_expires }, (text) => new Date(text)) };
    await this.db.transaction(async (tx) => {
      const business_id = await this.keys.changeLimits(tx, id, change);
      if (business_id === null) throw notFound();
      await this.audit.add({ user_id, business_id, action: 'api-key.limits-changed', target: `api-key:${id}`, detail: change }, tx);
    });
    this.rpc.announce(KeyChanged, { api_key_id: id });
  }

  private async lock(tx: Tx, business_id: number, id: number): Promise<LockedKey> {
    const key = await this.keys.lockOwn(tx, business_id, id);
    if (!key) throw notFound();
    return key;
  }
}

interface Expiry {
  expires_at: string | undefined;
  never_expires: boolean | undefined;
}

/** @returns a null expiry to remove it, nothing to leave it unchanged */
function expiryChange({ expires_at, never_expires }: Expiry, read: (text: string) => Date): { expires_at?: Date | null } {
  if (never_expires && expires_at !== undefined) throw invalid('never_expires', 'does not go with expires_at');
  if (never_expires) return { expires_at: null };
  return expires_at === undefined ? {} : { expires_at: read(expires_at) };
}

function futureExpiry(text: string): Date {
  const expires_at = new Date(text);
  if (expires_at.getTime() <= Date.now()) throw invalid('expires_at', 'must be in the future');
  return expires_at;
}

function hasEnded(): GatewayError {
  return new GatewayError('CONFLICT', 'This API key was revoked or has expired. Create a new one.');
}

function tooMany(): GatewayError {
  return new GatewayError('CONFLICT', `A business has at most ${MAX_ACTIVE} API keys. Revoke one that is no longer used.`);
}
