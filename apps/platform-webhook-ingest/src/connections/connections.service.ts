import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ConnectionChanged, ListConnections, type ListedConnection } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { ConnectionMap } from './connection-map';

/** An announcement makes it sooner. */
const FRESH_MS = 5_000;
/** A callback that matches no secret may come just after a business has connected: read again, but not for every forgery. */
const READ_AGAIN_MS = 1_000;

/** The channels of all businesses with their opened secrets, held for a few seconds. While the template service is away the last known ones hold. */
@Injectable()
export class ConnectionsService implements OnApplicationShutdown {
  private held: ConnectionMap | undefined;
  private heldAt = 0;
  private triedAt = 0;
  /** Opened secrets by context and sealed text: opening those of a thousand businesses takes longer than reading them. */
  private opened = new Map<string, string>();
  private loading: Promise<ConnectionMap> | undefined;
  private readonly stopListening: () => void;

  constructor(
    private readonly rpc: RpcClient,
    private readonly sealer: Sealer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.stopListening = rpc.listen(ConnectionChanged, () => {
      this.heldAt = 0;
      this.triedAt = 0;
      // A read under way may have begun before the change.
      this.loading = undefined;
    });
  }

  /** @throws GatewayError when they were never read and cannot be read now */
  async current(): Promise<ConnectionMap> {
    return this.notOlderThan(FRESH_MS);
  }

  /** For a callback that matches none of the current ones. */
  async newer(): Promise<ConnectionMap> {
    if (this.held && Date.now() - this.triedAt <= READ_AGAIN_MS) return this.held;
    return this.notOlderThan(READ_AGAIN_MS);
  }

  onApplicationShutdown(): void {
    this.stopListening();
  }

  private async notOlderThan(ageMs: number): Promise<ConnectionMap> {
    if (this.held && Date.now() - this.heldAt <= ageMs) return this.held;
    try {
      return await (this.loading ??= this.load());
    } catch (error) {
      if (!this.held) throw error;
      this.logger.warn({ err: error }, 'connections could not be refreshed; the last known ones are used');
      return this.held;
    }
  }

  private load(): Promise<ConnectionMap> {
    const askedAt = Date.now();
    this.triedAt = askedAt;
    const loading = this.read()
      .then((map) => {
        if (this.loading === loading) [this.held, this.heldAt] = [map, askedAt];
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
