import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ConnectionChanged, ListConnections, type Connection } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { ConnectionMap } from './connection-map';

/** An announcement makes it sooner. */
const FRESH_MS = 5_000;
/** A callback that nobody's secret fits may come just after a business has connected: asked again, but not for every forgery. */
const ASK_AGAIN_MS = 1_000;

/** The channels of all businesses with their opened secrets, held for a few seconds; the last known stand in while the template service is away. */
@Injectable()
export class ConnectionsService implements OnApplicationShutdown {
  private held: ConnectionMap | undefined;
  private heldAt = 0;
  private loading: Promise<ConnectionMap> | undefined;
  private readonly stopListening: () => void;

  constructor(
    private readonly rpc: RpcClient,
    private readonly sealer: Sealer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.stopListening = rpc.listen(ConnectionChanged, () => {
      this.heldAt = 0;
      // What is being read may be older.
      this.loading = undefined;
    });
  }

  /** @throws GatewayError when they were never known and cannot be asked for now */
  async current(): Promise<ConnectionMap> {
    return this.notOlderThan(FRESH_MS);
  }

  /** For a callback that the current ones do not explain. */
  async newer(): Promise<ConnectionMap> {
    return this.notOlderThan(ASK_AGAIN_MS);
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
    const all: Connection[] = [];
    for (;;) {
      const { connections } = await this.rpc.call(ListConnections, { after_business_id: all.at(-1)?.business_id ?? 0 });
      if (connections.length === 0) return new ConnectionMap(all, this.sealer, this.logger);
      all.push(...connections);
    }
  }
}
