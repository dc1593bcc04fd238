import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LimitsChanged } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { LimitsStore } from './limits.store';

/** A change of the operator's is in force after this at the latest (product decision 21). */
const TTL_MS = 5_000;

/** The limit over all keys together, held for a few seconds; the last known one stands in while the database is away. */
@Injectable()
export class GlobalLimit implements OnApplicationShutdown {
  private held: number | undefined;
  private heldAt = 0;
  private asking: Promise<number> | undefined;
  private readonly stopListening: () => void;

  constructor(
    private readonly limits: LimitsStore,
    rpc: RpcClient,
  ) {
    this.stopListening = rpc.listen(LimitsChanged, () => {
      this.heldAt = 0;
      this.asking = undefined;
    });
  }

  async perMinute(): Promise<number> {
    if (this.held !== undefined && Date.now() - this.heldAt < TTL_MS) return this.held;
    try {
      return await (this.asking ??= this.ask());
    } catch (error) {
      if (this.held === undefined) throw error;
      return this.held;
    }
  }

  onApplicationShutdown(): void {
    this.stopListening();
  }

  private ask(): Promise<number> {
    const askedAt = Date.now();
    const asking = this.limits
      .globalPerMinute()
      .then((limit) => {
        if (this.asking === asking) [this.held, this.heldAt] = [limit, askedAt];
        return limit;
      })
      .finally(() => {
        if (this.asking === asking) this.asking = undefined;
      });
    return asking;
  }
}
