import { createHash } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { RefreshingCache } from '@mgw/caching';
import { BusinessChanged, KeyChanged } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import type { KeyAccess } from '../api-keys/key-access';
import { ApiKeysStore, type KeyIdentity } from '../api-keys/api-keys.store';

/**
 * Keys that were used lately, so that most requests ask no database. Kept by a hash: a memory dump holds no key. Below the
 * announcements there is a net: a revoked key is refused after five seconds at the latest (guarantees §9).
 */
@Injectable()
export class KeyCache implements OnApplicationShutdown {
  private readonly held: RefreshingCache<KeyIdentity | null, KeyAccess | null>;
  private readonly stopListening: (() => void)[];

  constructor(
    private readonly keys: ApiKeysStore,
    rpc: RpcClient,
  ) {
    // There are too many wrong keys to hold them.
    this.held = new RefreshingCache({ load: (identities) => keys.findActive(identities), isCacheable: (access) => access !== null });
    this.stopListening = [
      rpc.listen(KeyChanged, ({ api_key_id }) => this.held.invalidate((_, access) => access?.api_key_id === api_key_id)),
      rpc.listen(BusinessChanged, ({ business_id }) => this.held.invalidate((_, access) => access?.business.id === business_id)),
    ];
  }

  /** @returns null for every key that is not good now, whatever is wrong with it */
  async find(token: string): Promise<KeyAccess | null> {
    const hash = createHash('sha256').update(token).digest('base64');
    const access = await this.held.get(hash, () => this.keys.identityOf(token));
    return access === null || (access.expires_at !== null && access.expires_at.getTime() <= Date.now()) ? null : access;
  }

  onApplicationShutdown(): void {
    for (const stop of this.stopListening) stop();
  }
}
