import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { atMost, RefreshingCache } from '@mgw/caching';
import { BusinessChanged, KeyChanged } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { LRUCache } from 'lru-cache';
import { ApiKeysStore, type KeyIdentity } from '../api-keys/api-keys.store';
import type { KeyAccess } from '../api-keys/key-access';
import { detached } from '../http/caller';

/**
 * Recently used keys, so that most requests need no query. The cache is keyed by a hash, so a memory dump contains no key. An announcement
 * evicts a revoked key at once; if it is lost, the key expires from the cache within five seconds (guarantees §9).
 */
@Injectable()
export class KeyCache {
  private readonly cached: RefreshingCache<KeyIdentity | null, KeyAccess | null, string>;
  /** The address from which each key was used last, until the next load writes it. */
  private readonly addresses = new LRUCache<number, string>(atMost(10_000));

  constructor(
    private readonly keys: ApiKeysStore,
    rpc: RpcClient,
  ) {
    // Wrong keys are not cached: there can be any number of them.
    this.cached = new RefreshingCache({
      load: (identities, ip) => keys.findActive(identities, (id) => ip ?? this.addresses.get(id) ?? null),
      isCacheable: (access) => access !== null,
    });
    rpc.listen(KeyChanged, ({ api_key_id }) => this.cached.invalidate((_, access) => access?.api_key_id === api_key_id));
    rpc.listen(BusinessChanged, ({ business_id }) => this.cached.invalidate((_, access) => access?.business.id === business_id));
  }

  /** @param ip the caller's address @returns null for a key that is malformed, unknown, revoked or expired */
  async find(token: string, ip: string): Promise<KeyAccess | null> {
    const hash = createHash('sha256').update(token).digest('base64');
    const access = await this.cached.get(hash, () => this.keys.identityOf(token), ip);
    if (access) this.addresses.set(access.api_key_id, detached(ip));
    return access === null || (access.expires_at !== null && access.expires_at.getTime() <= Date.now()) ? null : access;
  }
}
