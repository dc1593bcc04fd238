import { Injectable } from '@nestjs/common';
import { RefreshingCache } from '@mgw/caching';
import { FindWantedEvents, WebhooksChanged, type PublicEventName } from '@mgw/contracts';
import { within } from '@mgw/deadlines';
import { RpcClient } from '@mgw/rpc';

/** How long a transaction waits for a response. */
const LOOKUP_MS = 100;

/** Caches which events the businesses' webhooks want. The dispatcher's announcement invalidates them. */
@Injectable()
export class WantedEvents {
  private readonly cached = new RefreshingCache<number, string[]>({
    load: async (business_ids) => (await this.rpc.call(FindWantedEvents, { business_ids })).wanted,
    serveStaleOnError: true,
  });

  constructor(private readonly rpc: RpcClient) {
    rpc.listen(WebhooksChanged, ({ business_id }) => this.cached.invalidate((key) => key === String(business_id)));
  }

  /** True even while it is unknown: the dispatcher drops an event that no webhook wants. */
  async isWanted(businessId: number, event: PublicEventName): Promise<boolean> {
    const lookup = within(LOOKUP_MS, () => this.cached.get(String(businessId), () => businessId));
    return lookup.then(
      (events) => events.includes(event),
      () => true,
    );
  }
}
