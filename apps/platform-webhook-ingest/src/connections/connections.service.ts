import { Inject, Injectable } from '@nestjs/common';
import { RefreshedValue } from '@mgw/caching';
import { ConnectionChanged, ListConnections, type ListedConnection } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { ConnectionMap } from './connection-map';

/** A callback that matches no secret may follow a new connection. This bounds the reads that forgeries cause. */
const REREAD_MS = 1_000;

/**
 * Caches the connections of all businesses with their opened secrets. While the template service is unavailable the last ones stay valid.
 */
@Injectable()
export class ConnectionsService {
  private readonly cached: RefreshedValue<ConnectionMap>;
  /** Opened secrets by context and sealed text: opening a thousand takes longer than reading them. */
  private opened = new Map<string, string>();

  constructor(
    private readonly rpc: RpcClient,
    private readonly sealer: Sealer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.cached = new RefreshedValue({
      load: () => this.read(),
      onStale: (error) => this.logger.warn({ err: error }, 'refreshing connections failed; using the last ones'),
    });
    rpc.listen(ConnectionChanged, () => this.cached.invalidate());
  }

  /** @throws GatewayError if the first read fails */
  current(): Promise<ConnectionMap> {
    return this.cached.get();
  }

  /** Rereads the connections for a callback that matches none of the current ones. */
  newer(): Promise<ConnectionMap> {
    return this.cached.get(REREAD_MS);
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
