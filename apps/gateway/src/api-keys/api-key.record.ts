import type { Permission } from '@mgw/contracts';
import { tokenPrefix } from './api-key.token';
import type { ApiKeyRow } from './api-keys.store';
import { effectiveLimits } from './effective-limits';

/** A key as product §2 lists it: the limits are those in force. */
export interface ApiKeyRecord {
  id: number;
  name: string;
  permissions: Permission[];
  prefix: string;
  last_four: string;
  per_minute_limit: number;
  daily_limit: number;
  /** Null when it could not be asked for in time. */
  used_today: number | null;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

/** @param usage sends of today by key; a key without an entry has made none. */
export function apiKeyRecord(row: ApiKeyRow, usage: ReadonlyMap<number, number> | null): ApiKeyRecord {
  return {
    id: row.id,
    name: row.name,
    permissions: row.permissions,
    prefix: tokenPrefix(row.id),
    last_four: row.last_four,
    ...effectiveLimits(row.plan, row),
    used_today: usage && (usage.get(row.id) ?? 0),
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
