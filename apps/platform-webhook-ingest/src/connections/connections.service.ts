import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { RefreshedValue } from '@mgw/caching';
import { ConnectionChanged, GatewayError, ListConnections, type ListedConnection } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { haveOwners, type Change } from '../splitting/changes';
import { ConnectionMap, type Open } from './connection-map';

/** A callback that matches no secret may follow a new connection. This bounds the reads that forgeries cause. */
const REREAD_MS = 1_000;
/** Connections that are older are read again. An announced change ends that sooner. */
const FRESH_MS = 5_000;
/**
 * Reads until changes become frequent; one returns each second. A business can cause any number of changes with account updates that it
 * signs itself, and a read of a thousand connections takes longer than a callback.
 */
const MAX_READS = 10;
/** A read that takes longer counts as failed for callbacks and lanes, in milliseconds (decision 725). */
const MAX_WAIT_MS = 1_000;
/** Time between reads for callbacks that need frequent changes, in milliseconds. */
const READ_APART_MS = 200;

interface Reread {
  map: ConnectionMap;
  /**
   * False if the reads failed after a change was announced (decision 751), or if the ring lacks the right key of a secret (decision 762). No caller
   * may then be refused for a wrong secret.
   */
  isComplete: boolean;
}

/** A secret that does not open. */
interface FailedSecret {
  keyId: string;
  name: string;
  business_id: number;
  /** Whether the last read of the connections did not have it. */
  isNew: boolean;
}

export function unreadable(): GatewayError {
  return new GatewayError('OVERLOADED', 'The latest connections could not be read. Try again shortly.');
}

/**
 * Caches the connections of all businesses with their opened secrets. While the template service is unavailable the last ones stay valid.
 */
@Injectable()
export class ConnectionsService {
  private readonly cached: RefreshedValue<ConnectionMap>;
  /** Opened secrets by context and sealed text, because opening a thousand takes longer than reading them; empty for one that does not open. */
  private opened = new Map<string, string>();
  /** The keys of secrets in the latest connections that the ring lacks, or has with other bytes. */
  private wrongKeys: ReadonlySet<string> = new Set();
  private changedAt = -Infinity;
  private readsLeft = MAX_READS;
  private readsCountedAt = performance.now();

  constructor(
    private readonly rpc: RpcClient,
    private readonly sealer: Sealer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.cached = new RefreshedValue({
      load: () => this.read(),
      onStale: (error) => this.logger.warn({ err: error }, 'refreshing connections failed; using the last ones'),
      maxWaitMs: MAX_WAIT_MS,
    });
    rpc.listen(ConnectionChanged, () => void (this.changedAt = performance.now()));
  }

  /** The connections. While changes are frequent, the latest ones may be missing for a second. @throws GatewayError if the first read fails */
  async current(): Promise<ConnectionMap> {
    const map = await this.cached.get(FRESH_MS);
    if (map.readAt > this.changedAt) return map;
    return this.areReadsFrequent() ? this.cached.get(REREAD_MS) : this.latest(FRESH_MS);
  }

  /** Rereads the connections for a callback that matches none of the current ones. */
  async newer(): Promise<Reread> {
    const { changedAt } = this;
    const map = await this.latest(REREAD_MS);
    return { map, isComplete: map.readAt > changedAt && this.wrongKeys.size === 0 };
  }

  /**
   * The connections with every change that was announced before the call.
   * @throws GatewayError if they cannot be read now, because an update whose owner the last ones lack would be lost (decision 749)
   */
  async withChanges(): Promise<ConnectionMap> {
    const { changedAt } = this;
    const oldest = performance.now() - FRESH_MS;
    const map = await this.latest(FRESH_MS);
    if (map.readAt > changedAt && map.readAt >= oldest) return map;
    throw unreadable();
  }

  /** The connections with every change that was announced before the call; the last ones if they cannot be read now. */
  private async latest(maxAgeMs: number): Promise<ConnectionMap> {
    const { changedAt } = this;
    const map = await this.cached.get(maxAgeMs);
    if (map.readAt > changedAt) return map;
    if (this.areReadsFrequent()) await setTimeout(map.readAt + READ_APART_MS - performance.now());
    const read = await this.cached.get(performance.now() - changedAt);
    // The read in flight may have begun before the change.
    return read.readAt > changedAt ? read : this.cached.get(performance.now() - changedAt);
  }

  /**
   * The connections to divide a callback with: every change counts if the current ones lack the owner of an update.
   * @throws GatewayError if these cannot be read now
   */
  async forChanges(changes: Change[], signers: ReadonlySet<number>): Promise<ConnectionMap> {
    const map = await this.current();
    return haveOwners(changes, signers, map) ? map : this.withChanges();
  }

  private areReadsFrequent(): boolean {
    const now = performance.now();
    this.readsLeft = Math.min(MAX_READS, this.readsLeft + (now - this.readsCountedAt) / 1_000);
    this.readsCountedAt = now;
    return this.readsLeft < 1;
  }

  private async read(): Promise<ConnectionMap> {
    const readAt = performance.now();
    this.readsLeft = Math.max(0, this.readsLeft - 1);
    const all: ListedConnection[] = [];
    for (;;) {
      const { connections } = await this.rpc.call(ListConnections, { after_business_id: all.at(-1)?.business_id ?? 0 });
      if (connections.length === 0) return this.mapOf(all, readAt);
      all.push(...connections);
    }
  }

  private mapOf(connections: ListedConnection[], readAt: number): ConnectionMap {
    const opened = new Map<string, string>();
    const rightKeys = new Set<string>();
    const failed: FailedSecret[] = [];
    const open: Open = (sealed, name, business_id) => {
      const keyId = Sealer.keyIdOf(sealed);
      const context = `connection.${name}:${business_id}`;
      const key = `${context} ${sealed}`;
      const known = this.opened.get(key);
      const plain = known ?? this.sealer.openOrNull(sealed, context) ?? '';
      opened.set(key, plain);
      if (plain !== '') rightKeys.add(keyId);
      else failed.push({ keyId, name, business_id, isNew: known === undefined });
      return plain;
    };
    const map = new ConnectionMap(connections, open, readAt);
    this.opened = opened;
    this.logFailed(failed, rightKeys);
    return map;
  }

  /** A secret is damaged if its key opens others. A key that opens none is not in the ring, or has other bytes there. */
  private logFailed(failed: FailedSecret[], rightKeys: ReadonlySet<string>): void {
    const wrongKeys = new Set(failed.map(({ keyId }) => keyId).filter((keyId) => keyId !== '' && !rightKeys.has(keyId)));
    for (const key of wrongKeys) {
      if (this.wrongKeys.has(key)) continue;
      const fault = this.sealer.has(key) ? `has other bytes for the key "${key}" than sealed the` : `lacks the key "${key}" of`;
      this.logger.error(`SEALING_KEYS ${fault} stored connections; callbacks that match no other secret get 503`);
    }
    for (const { keyId, isNew, ...fields } of failed) {
      if (wrongKeys.has(keyId) || !(isNew || this.wrongKeys.has(keyId))) continue;
      this.logger.error(fields, 'a secret of a connection does not open; it has to be saved again');
    }
    this.wrongKeys = wrongKeys;
  }
}
