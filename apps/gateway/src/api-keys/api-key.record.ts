import { Type, type Static } from '@sinclair/typebox';
import { Id, IsoTime, Nullable, PERMISSIONS } from '@mgw/contracts';
import { tokenPrefix } from './api-key.token';
import type { ApiKeyRow } from './api-keys.store';
import { effectiveLimits } from './effective-limits';

/** A key in lists (spec §10), with the limits in force. */
export const ApiKeyRecord = Type.Object({
  id: Id,
  sends_as: {
    ...Id,
    description:
      'The first key of its rotations, which `api_key_id` of messages and of their filters names; its own id if it replaced none.',
  } as typeof Id,
  name: Type.String(),
  permissions: Type.Array(Type.Union(PERMISSIONS.map((permission) => Type.Literal(permission)))),
  prefix: Type.String(),
  last_four: Type.String(),
  per_minute_limit: Type.Integer(),
  daily_limit: Type.Integer(),
  used_today: Nullable(Type.Integer({ description: 'Null if the send service did not respond in time.' })),
  created_at: IsoTime,
  last_used_at: Nullable(IsoTime),
  last_ip: Nullable(Type.String({ description: 'The address of the last use, even of one that `allowed_ips` refused.' })),
  expires_at: Nullable(IsoTime),
  allowed_ips: Type.Array(Type.String(), { description: 'Addresses and CIDRs from which the key works; empty for all.' }),
  revoked_at: Nullable(IsoTime),
});
export type ApiKeyRecord = Static<typeof ApiKeyRecord>;

export const ApiKeysResponse = Type.Object({ api_keys: Type.Array(ApiKeyRecord) }, { title: 'ApiKeys' });
/** The keys of all businesses. */
export const AllApiKeysResponse = Type.Object(
  { api_keys: Type.Array(Type.Composite([ApiKeyRecord, Type.Object({ business_id: Id })])) },
  { title: 'AllApiKeys' },
);
/** Like the response of a rotation, the only one with the key itself (spec §2.7). */
export const CreatedApiKeyResponse = Type.Object(
  {
    id: Id,
    key: Type.String({
      description:
        'A repeated Idempotency-Key returns the same id with a new key, and ends the key of the first response. Once that one was used, the repeat gets 409.',
    }),
    message: Type.String(),
  },
  { title: 'CreatedApiKey' },
);

export const RotatedApiKeyResponse = Type.Object(
  {
    id: Id,
    key: Type.String(),
    expires_at: Nullable({ ...IsoTime, description: 'When the new key expires; null if it never does.' }),
    old_expires_at: IsoTime,
    message: Type.String(),
  },
  { title: 'RotatedApiKey' },
);

/** @param usage today's sends by the key as which they count; a key without an entry sent nothing */
export function apiKeyRecord(row: ApiKeyRow, usage: ReadonlyMap<number, number> | null): ApiKeyRecord {
  return {
    id: row.id,
    sends_as: row.sends_as,
    name: row.name,
    permissions: row.permissions,
    prefix: tokenPrefix(row.id),
    last_four: row.last_four,
    ...effectiveLimits(row.plan, row),
    used_today: usage && (usage.get(row.sends_as) ?? 0),
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    last_ip: row.last_ip,
    expires_at: row.expires_at?.toISOString() ?? null,
    allowed_ips: row.allowed_ips,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
