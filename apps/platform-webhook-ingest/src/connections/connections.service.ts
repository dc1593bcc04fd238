import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ConnectionChanged, ListConnections, type ListedConnection } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { ConnectionMap } from './connection-map';

/** A change also arrives as an announcement, which is sooner. */
const FRESH_MS = 5_000;
/** A callback that matches no secret may follow a new connection. This bounds the reads that forgeries cause. */
const REREAD_MS = 1_000;

/** Caches the connections of all businesses with their opened secrets. While the template service is away the last ones stay valid. */
@Injectable()
export class ConnectionsService implements OnApplicationShutdown {
  private cached: ConnectionMap | undefined;
  private cachedAt = 0;
  private requestedAt = 0;
  /** Opened secrets by context and sealed text: opening a thousand takes longer than reading them. */
  private opened = new Map<string, string>();
  private loading: Promise<ConnectionMap> | undefined;
  private readonly stopListening: () => void;

  constructor(
    private readonly rpc: RpcClient,
    private readonly sealer: Sealer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.stopListening = rpc.listen(ConnectionChanged, () => {
      this.cachedAt = 0;
      this.requestedAt = 0;
      // A read in flight may have begun before the change.
      this.loading = undefined;
    });
  }

  /** @throws GatewayError if the first read fails */
  async current(): Promise<ConnectionMap> {
    return this.notOlderThan(FRESH_MS);
  }

  /** Rereads the connections for a callback that matches none of the current ones. */
  async newer(): Promise<ConnectionMap> {
    if (this.cached && Date.now() - this.requestedAt <= REREAD_MS) return this.cached;
    return this.notOlderThan(REREAD_MS);
  }

  onApplicationShutdown(): void {
    this.stopListening();
  }

  private async notOlderThan(ageMs: number): Promise<ConnectionMap> {
    if (this.cached && Date.now() - this.cachedAt <= ageMs) return this.cached;
    try {
      return await (this.loading ??= this.load());
    } catch (error) {
      if (!this.cached) throw error;
      this.logger.warn({ err: error }, 'refreshing connections failed; using the last ones');
      return this.cached;
    }
  }

  private load(): Promise<ConnectionMap> {
    const requestedAt = Date.now();
    this.requestedAt = requestedAt;
    const loading = this.read()
      .then((map) => {
        if (this.loading === loading) [this.cached, this.cachedAt] = [map, requestedAt];
        return map;
      })
      .finally(() => {
        if (this.loading === loading) this.loading = undefined;
      });
    return loading;
  }

  private async read(): Promise<ConnectionMap> {
    const all: ListedConnection[] = [];
    for (;;) {
      const { connections } = await this.rpc.call(ListConnections, { after_business_id: all.at(-1)?.business_id ?? 0 });
      if (connections.length === 0) return this.mapOf(all);
      all.push(...connections);
    }
  }

  private mapOf(connections: ListedConnection[]): ConnectionMap {
    const opened = new Map<string, string>();
    const open = (sealed: string, context: string): string => {
      const key = `${context} ${sealed}`;
      const plain = this.opened.get(key) ?? this.sealer.open(sealed, context);
      opened.set(key, plain);
      return plain;
    };
    const map = new ConnectionMap(connections, open, this.logger);
    this.opened = opened;
    return map;
  }
}
