import { createHash } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BusinessChanged, KeyChanged } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { LRUCache } from 'lru-cache';
import type { KeyAccess } from '../api-keys/key-access';
import { ApiKeysStore } from '../api-keys/api-keys.store';

/** Net below the announcements: a revoked key is refused after this at the latest (guarantees §9). */
const TTL_MS = 5_000;

/** Keys that were used lately, so that most requests ask no database. Kept by a hash: a memory dump holds no key. */
@Injectable()
export class KeyCache implements OnApplicationShutdown {
  private readonly held = new LRUCache<string, KeyAccess>({ max: 10_000, ttl: TTL_MS });
  private readonly asking = new Map<string, Promise<KeyAccess | null>>();
  private generation = 0;
  private readonly stopListening: (() => void)[];

  constructor(
    private readonly keys: ApiKeysStore,
    rpc: RpcClient,
  ) {
    this.stopListening = [
      rpc.listen(KeyChanged, ({ api_key_id }) => this.forget((access) => access.api_key_id === api_key_id)),
      rpc.listen(BusinessChanged, ({ business_id }) => this.forget((access) => access.business.id === business_id)),
    ];
  }

  /** @returns null for every key that is not good now, whatever is wrong with it */
  async find(token: string): Promise<KeyAccess | null> {
    const hash = createHash('sha256').update(token).digest('base64');
    const access = this.held.get(hash) ?? (await (this.asking.get(hash) ?? this.ask(hash, token)));
    return access === null || (access.expires_at !== null && access.expires_at.getTime() <= Date.now()) ? null : access;
  }

  onApplicationShutdown(): void {
    for (const stop of this.stopListening) stop();
  }

  private ask(hash: string, token: string): Promise<KeyAccess | null> {
    const { generation } = this;
    const answer = this.keys
      .findByToken(token)
      .then((access) => {
        // An answer from before a change must not outlive it.
        if (access && generation === this.generation) this.held.set(hash, access);
        return access;
      })
      .finally(() => this.asking.delete(hash));
    this.asking.set(hash, answer);
    return answer;
  }

  private forget(isMeant: (access: KeyAccess) => boolean): void {
    this.generation += 1;
    this.asking.clear();
    for (const [hash, access] of this.held.entries()) if (isMeant(access)) this.held.delete(hash);
  }
}
