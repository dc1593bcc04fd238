import { Body, Controller, Delete, Get, Headers, Param, Post, Put, Query } from '@nestjs/common';
import { CreateWebhook } from '@mgw/contracts';
import { CurrentCaller, CurrentKey, Needs, RestApi, type Caller } from '../access/rest-api';
import { authorOf, type KeyAccess } from '../api-keys/key-access';
import { markReplayed } from '../requests/idempotency';
import { IdPipe } from '../requests/id.pipe';
import { Done, Made } from '../responses/done';
import { Responds } from '../responses/responds';
import { Recovered, RecoveryCancelled, RecoveryResponse, RecoveryService } from '../webhooks/recovery.service';
import { DeliveriesResponse, WebhooksResponse } from '../webhooks/webhooks.responses';
import { WebhooksService } from '../webhooks/webhooks.service';
import { byKey } from './api-v1.responses';
import { CreateWebhookByKeyRequest, ListDeliveriesByKeyQuery, RecoverByKeyRequest, UpdateWebhookByKeyRequest } from './by-key.requests';

/** The webhooks of the business, as the dashboard manages them (decision 361). */
@Controller('api/v1/webhooks')
@RestApi()
export class WebhooksByKeyController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly recoveries: RecoveryService,
  ) {}

  @Get()
  @Needs('manage_webhooks')
  @Responds(byKey(WebhooksResponse), 'List the webhooks', { errors: ['QUERY_TIMEOUT'] })
  async list(@CurrentKey() { business }: KeyAccess) {
    return { success: true as const, ...(await this.webhooks.list(business.id)) };
  }

  @Post()
  @Needs('manage_webhooks')
  @Responds(byKey(Made), 'Create a webhook', { errors: CreateWebhook.errors, repeatable: true })
  async create(
    @CurrentCaller() { party, reply }: Caller,
    @Body() request: CreateWebhookByKeyRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
  ) {
    const caller = `api-key:${party.sends_as}`;
    const { replayed, ...made } = await this.webhooks.create(authorOf(party), request, { idempotencyKey, caller });
    markReplayed(reply, replayed);
    return { success: true as const, ...made };
  }

  @Put(':id')
  @Needs('manage_webhooks')
  @Responds(byKey(Done), 'Change a webhook; absent fields stay unchanged')
  async update(@CurrentKey() key: KeyAccess, @Param('id', IdPipe) id: number, @Body() change: UpdateWebhookByKeyRequest) {
    return { success: true as const, ...(await this.webhooks.update(authorOf(key), id, change)) };
  }

  @Delete(':id')
  @Needs('manage_webhooks')
  @Responds(byKey(Done), 'Delete a webhook permanently')
  async delete(@CurrentKey() key: KeyAccess, @Param('id', IdPipe) id: number) {
    return { success: true as const, ...(await this.webhooks.delete(authorOf(key), id)) };
  }

  @Get(':id/deliveries')
  @Needs('manage_webhooks')
  @Responds(byKey(DeliveriesResponse), 'List the deliveries of a webhook, the newest first', { errors: ['QUERY_TIMEOUT'] })
  async deliveries(@CurrentKey() { business }: KeyAccess, @Param('id', IdPipe) id: number, @Query() query: ListDeliveriesByKeyQuery) {
    return { success: true as const, ...(await this.webhooks.deliveries(business.id, id, query)) };
  }

  @Post(':id/recover')
  @Needs('manage_webhooks')
  @Responds(byKey(Recovered), 'Redeliver the failed and skipped deliveries of a period in their order', { errors: ['CONFLICT'] })
  async recover(@CurrentKey() key: KeyAccess, @Param('id', IdPipe) id: number, @Body() request: RecoverByKeyRequest) {
    return { success: true as const, ...(await this.recoveries.begin(authorOf(key), id, request)) };
  }

  @Get(':id/recover')
  @Needs('manage_webhooks')
  @Responds(byKey(RecoveryResponse), 'Follow the last recovery of a webhook', { errors: ['QUERY_TIMEOUT'] })
  async recovery(@CurrentKey() { business }: KeyAccess, @Param('id', IdPipe) id: number) {
    return { success: true as const, ...(await this.recoveries.get(business.id, id)) };
  }

  @Delete(':id/recover')
  @Needs('manage_webhooks')
  @Responds(byKey(RecoveryCancelled), 'Cancel a recovery; what was not attempted counts as skipped')
  async cancelRecovery(@CurrentKey() key: KeyAccess, @Param('id', IdPipe) id: number) {
    return { success: true as const, ...(await this.recoveries.cancel(authorOf(key), id)) };
  }
}
