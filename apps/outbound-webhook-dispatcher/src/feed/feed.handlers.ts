import { Controller } from '@nestjs/common';
import { FindNewestEvents, ListEvents, WebhooksChanged, type FeedPage, type RequestOf } from '@mgw/contracts';
import { Handles, RpcClient, type Handler } from '@mgw/rpc';
import { FeedStore } from './feed.store';

/** The feed of a business. Its first read begins it, and a read that names an opt-in event wants it (decision 350). */
@Controller()
export class FeedHandlers {
  constructor(
    private readonly feed: FeedStore,
    private readonly rpc: RpcClient,
  ) {}

  @Handles(ListEvents)
  async list(request: RequestOf<typeof ListEvents>): Promise<FeedPage> {
    const { business_id, types } = request;
    if (types && (await this.feed.want(business_id, types))) this.rpc.announce(WebhooksChanged, { business_id });
    const page = await this.feed.page(request);
    if (page) return page;
    await this.feed.begin(business_id);
    return this.feed.page(request) as Promise<FeedPage>;
  }

  @Handles(FindNewestEvents)
  newest: Handler<typeof FindNewestEvents> = async ({ business_ids }) => ({ newest: await this.feed.newest(business_ids) });
}
