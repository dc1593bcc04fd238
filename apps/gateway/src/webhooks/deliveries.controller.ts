import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { GetDelivery, Redeliver, TestWebhook } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { AuditStore, entryBy } from '../audit/audit.store';
import { IdPipe } from '../requests/id.pipe';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { ListDeliveriesQuery, TestWebhookRequest } from './webhooks.requests';
import { DeliveriesResponse, DeliveryResponse, Tested } from './webhooks.responses';
import { WebhooksService } from './webhooks.service';

/** The deliveries of each webhook, redelivery and test events (spec §10). */
@Controller('api/client/webhooks/:id')
@NeedsSession()
export class DeliveriesController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly rpc: RpcClient,
    private readonly audit: AuditStore,
  ) {}

  @Get('deliveries')
  @Responds(DeliveriesResponse, 'List the deliveries of a webhook, the newest first')
  list(@CurrentUser() { business_id }: BusinessUser, @Param('id', IdPipe) webhook_id: number, @Query() query: ListDeliveriesQuery) {
    return this.webhooks.deliveries(business_id, webhook_id, query);
  }

  @Get('deliveries/:delivery_id')
  @Responds(DeliveryResponse, 'Show one delivery of a webhook', { errors: ['NOT_FOUND'] })
  show(
    @CurrentUser() { business_id }: BusinessUser,
    @Param('id', IdPipe) webhook_id: number,
    @Param('delivery_id', IdPipe) delivery_id: number,
  ) {
    return this.rpc.call(GetDelivery, { business_id, webhook_id, delivery_id });
  }

  @Post('deliveries/:delivery_id/redeliver')
  @Responds(Done, 'Redeliver an event; it does not count as a failure', { errors: ['CONFLICT'] })
  async redeliver(
    @CurrentUser() user: BusinessUser,
    @Param('id', IdPipe) webhook_id: number,
    @Param('delivery_id', IdPipe) delivery_id: number,
  ) {
    await this.audit.record(entryBy(user, 'delivery.redelivered', `webhook:${webhook_id}`, { delivery_id }), () =>
      this.rpc.call(Redeliver, { business_id: user.business_id, webhook_id, delivery_id }),
    );
    return { message: 'It is being delivered again; see its state in a moment.' };
  }

  @Post('test')
  @Responds(Tested, 'Send a sample event; it does not count as a failure', { errors: ['CONFLICT'] })
  async test(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) webhook_id: number, @Body() { event }: TestWebhookRequest) {
    const { delivery_id } = await this.audit.record(
      entryBy(user, 'webhook.tested', `webhook:${webhook_id}`),
      () => this.rpc.call(TestWebhook, { business_id: user.business_id, webhook_id, event: event ?? null }),
      (tested) => ({ detail: tested }),
    );
    return { message: 'A sample event is on its way; see its state in a moment.', delivery_id };
  }
}
