import { Controller } from '@nestjs/common';
import {
  CreateWebhook,
  DeleteWebhook,
  FindWantedEvents,
  GatewayError,
  invalidField,
  ListFailingWebhooks,
  ListWebhooks,
  PUBLIC_EVENTS,
  UpdateWebhook,
  WebhooksChanged,
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { Egress } from '@mgw/egress';
import { Handles, RpcClient, type Handler } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { LanesStore } from '../deliveries/lanes.store';
import { webhookNotFound } from './webhook-errors';
import { MAX_WEBHOOKS, WebhooksStore } from './webhooks.store';

/** Spec §4.9. */
@Controller()
export class WebhooksHandlers {
  constructor(
    private readonly webhooks: WebhooksStore,
    private readonly lanes: LanesStore,
    private readonly egress: Egress,
    private readonly sealer: Sealer,
    private readonly rpc: RpcClient,
  ) {}

  @Handles(CreateWebhook)
  async create(request: RequestOf<typeof CreateWebhook>): Promise<ResponseOf<typeof CreateWebhook>> {
    await this.check(request);
    const created = await this.webhooks.create(request, this.sealer);
    if (created === null) throw new GatewayError('CONFLICT', `A business has at most ${MAX_WEBHOOKS} webhooks. Delete one first.`);
    this.announceChange(request.business_id);
    return created;
  }

  @Handles(ListWebhooks)
  list: Handler<typeof ListWebhooks> = async ({ business_id }) => ({ webhooks: await this.webhooks.list(business_id) });

  @Handles(ListFailingWebhooks)
  listFailing: Handler<typeof ListFailingWebhooks> = async () => ({ webhooks: await this.webhooks.listFailing() });

  @Handles(UpdateWebhook)
  async update(request: RequestOf<typeof UpdateWebhook>): Promise<ResponseOf<typeof UpdateWebhook>> {
    await this.check(request);
    if (!(await this.webhooks.update(request, (one, other) => this.sealer.isSame(one, other, `webhook.secret:${request.business_id}`))))
      throw webhookNotFound();
    this.announceChange(request.business_id);
    // One batch: the dispatcher skips the rest of a large backlog in the background.
    if (request.is_active === false) await this.lanes.skipDisabled();
    return {};
  }

  @Handles(DeleteWebhook)
  async delete({ business_id, id }: RequestOf<typeof DeleteWebhook>): Promise<ResponseOf<typeof DeleteWebhook>> {
    const name = await this.webhooks.delete(business_id, id);
    if (name === null) throw webhookNotFound();
    this.announceChange(business_id);
    return { name };
  }

  @Handles(FindWantedEvents)
  wanted: Handler<typeof FindWantedEvents> = async ({ business_ids }) => ({ wanted: await this.webhooks.wanted(business_ids) });

  private announceChange(business_id: number): void {
    this.rpc.announce(WebhooksChanged, { business_id });
  }

  private async check({ business_id, url, events }: { business_id: number; url?: string; events?: string[] }): Promise<void> {
    const known: readonly string[] = PUBLIC_EVENTS;
    if (events?.some((event) => !known.includes(event))) throw invalidField('events', `must be some of ${known.join(', ')}`);
    if (url === undefined) return;
    const checked = await this.egress.checkAddress(url, String(business_id));
    if ('refused' in checked) throw invalidField('url', checked.refused);
  }
}
