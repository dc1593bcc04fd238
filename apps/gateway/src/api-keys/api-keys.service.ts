import { Injectable } from '@nestjs/common';
import { GatewayError, KeyChanged } from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { RpcClient } from '@mgw/rpc';
import { AuditStore } from '../audit/audit.store';
import { invalid, notFound } from '../requests/refusals';
import { withoutNulls } from '../requests/without-nulls';
import type { BusinessUser, SessionUser } from '../sessions/session-user';
import { apiKeyRecord, type ApiKeyRecord } from './api-key.record';
import type { ChangeApiKeyRequest, CreateApiKeyRequest } from './api-keys.requests';
import { ApiKeysStore } from './api-keys.store';
import { DailyUsage } from './daily-usage';

/** Most active keys of one business. */
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

  /** @returns the whole key, which cannot be shown again (spec §2.7) */
  async create({ user_id, business_id }: BusinessUser, request: CreateApiKeyRequest): Promise<{ id: number; token: string }> {
    const expires_at = request.expires_at ? new Date(request.expires_at) : null;
    if (expires_at && expires_at.getTime() <= Date.now()) throw invalid('expires_at', 'must be in the future');
    const { name } = request;
    const permissions = [...new Set(request.permissions)];
    return this.db.transaction(async (tx) => {
      if ((await this.keys.countInUse(tx, business_id)) >= MAX_ACTIVE)
        throw new GatewayError('CONFLICT', `A business has at most ${MAX_ACTIVE} API keys. Revoke one that is no longer used.`);
      const key = await this.keys.add(tx, { business_id, name, permissions, expires_at });
      await this.audit.add(
        { user_id, business_id, action: 'api-key.created', target: `api-key:${key.id}`, detail: { name, permissions } },
        tx,
      );
      return key;
    });
  }

  async revoke({ user_id, business_id }: BusinessUser, id: number): Promise<void> {
    await this.db.transaction(async (tx) => {
      if (!(await this.keys.revoke(tx, business_id, id))) throw notFound();
      await this.audit.add({ user_id, business_id, action: 'api-key.revoked', target: `api-key:${id}`, detail: {} }, tx);
    });
    this.rpc.announce(KeyChanged, { api_key_id: id });
  }

  /** An operator overrides the defaults of the plan (spec §11). */
  async change({ user_id }: SessionUser, id: number, request: ChangeApiKeyRequest): Promise<void> {
    const { expires_at, ...limits } = withoutNulls(request);
    const change = { ...limits, ...(expires_at !== undefined && { expires_at: new Date(expires_at) }) };
    await this.db.transaction(async (tx) => {
      const business_id = await this.keys.changeLimits(tx, id, change);
      if (business_id === null) throw notFound();
      await this.audit.add({ user_id, business_id, action: 'api-key.limits-changed', target: `api-key:${id}`, detail: change }, tx);
    });
    this.rpc.announce(KeyChanged, { api_key_id: id });
  }
}
