import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import {
  FindDeliveries,
  GatewayError,
  GetDelivery,
  invalidField,
  ListDeliveries,
  PUBLIC_EVENTS,
  Redeliver,
  TestWebhook,
  EVENT_REFERENCE,
  type PublicEventName,
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { Handles, type Handler } from '@mgw/rpc';
import { webhookDisabled, webhookNotFound } from '../webhooks/webhook-errors';
import { DispatchService } from './dispatch.service';
import { DeliveryLogStore, IN_PROGRESS } from './delivery-log.store';

/** Data of a test event: the example of the reference with the business's id and a message id that WhatsApp never makes. */
function sampleData(event: PublicEventName, business_id: number): object {
  const { data } = EVENT_REFERENCE[event].example;
  return { ...data, ...('message_id' in data && { message_id: 'wamid.TEST' }), business_id };
}

/** The delivery log, test events and redeliveries (spec §10, decision 34). They are delivered like all others. */
@Controller()
export class DeliveryLogHandlers {
  constructor(
    private readonly log: DeliveryLogStore,
    private readonly dispatch: DispatchService,
  ) {}

  @Handles(ListDeliveries)
  async list(request: RequestOf<typeof ListDeliveries>): Promise<ResponseOf<typeof ListDeliveries>> {
    const found = await this.log.list(request);
    if (!found) throw webhookNotFound();
    return found;
  }

  @Handles(GetDelivery)
  async get(request: RequestOf<typeof GetDelivery>): Promise<ResponseOf<typeof GetDelivery>> {
    const delivery = await this.log.find(request);
    if (!delivery) throw deliveryNotFound();
    return { delivery };
  }

  @Handles(FindDeliveries)
  find: Handler<typeof FindDeliveries> = async ({ business_id, event_ids }) => ({
    deliveries: await this.log.byEvents(business_id, event_ids),
  });

  @Handles(Redeliver)
  async redeliver(request: RequestOf<typeof Redeliver>): Promise<ResponseOf<typeof Redeliver>> {
    const before = await this.log.redeliver(request);
    if (!before) throw deliveryNotFound();
    if (!before.is_active) throw webhookDisabled();
    if (before.state === 'pending' || before.state === 'running') throw new GatewayError('CONFLICT', IN_PROGRESS);
    this.dispatch.wake();
    return {};
  }

  @Handles(TestWebhook)
  async test({ business_id, webhook_id, event }: RequestOf<typeof TestWebhook>): Promise<ResponseOf<typeof TestWebhook>> {
    const webhook = await this.log.webhook(business_id, webhook_id);
    if (!webhook) throw webhookNotFound();
    if (!webhook.is_active) throw webhookDisabled();
    const name = event ?? webhook.events[0];
    if (!isPublicEvent(name)) throw invalidField('event', `must be one of ${PUBLIC_EVENTS.join(', ')}`);
    const body = JSON.stringify({ event: name, timestamp: new Date().toISOString(), data: sampleData(name, business_id) });
    const delivery_id = await this.log.addTestEvent({ business_id, webhook_id, event: name, event_id: `test:${randomUUID()}`, body });
    this.dispatch.wake();
    return { delivery_id };
  }
}

function isPublicEvent(name: string | undefined): name is PublicEventName {
  return (PUBLIC_EVENTS as readonly (string | undefined)[]).includes(name);
}

function deliveryNotFound(): GatewayError {
  return new GatewayError('NOT_FOUND', 'No delivery of this webhook has this id.');
}
