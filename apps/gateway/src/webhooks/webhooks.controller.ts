import { Body, Controller, Delete, Get, Headers, Param, Post, Put, Res } from '@nestjs/common';
import { CreateWebhook } from '@mgw/contracts';
import type { FastifyReply } from 'fastify';
import { markReplayed } from '../requests/idempotency';
import { IdPipe } from '../requests/id.pipe';
import { Done, Made } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { CreateWebhookRequest, UpdateWebhookRequest } from './webhooks.requests';
import { WebhooksResponse } from './webhooks.responses';
import { WebhooksService } from './webhooks.service';

/** Spec §4.9. */
@Controller('api/client/webhooks')
@NeedsSession()
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @Responds(WebhooksResponse, 'List the webhooks')
  list(@CurrentUser() { business_id }: BusinessUser) {
    return this.webhooks.list(business_id);
  }

  @Post()
  @Responds(Made, 'Create a webhook', { errors: CreateWebhook.errors, repeatable: true })
  async create(
    @CurrentUser() user: BusinessUser,
    @Body() request: CreateWebhookRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { replayed, ...made } = await this.webhooks.create(user, request, { idempotencyKey, caller: `user:${user.user_id}` });
    markReplayed(reply, replayed);
    return made;
  }

  @Put(':id')
  @Responds(Done, 'Change a webhook; absent fields stay unchanged')
  update(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number, @Body() change: UpdateWebhookRequest) {
    return this.webhooks.update(user, id, change);
  }

  @Delete(':id')
  @Responds(Done, 'Delete a webhook permanently')
  delete(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number) {
    return this.webhooks.delete(user, id);
  }
}
