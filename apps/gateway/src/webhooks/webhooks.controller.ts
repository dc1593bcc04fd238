import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { CreateWebhook, DeleteWebhook, ListWebhooks, UpdateWebhook } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { AuditStore } from '../audit/audit.store';
import { IdPipe } from '../requests/id.pipe';
import { invalid } from '../requests/refusals';
import { withoutNulls } from '../requests/without-nulls';
import { Done, Made } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, Roles, SessionOf } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { CreateWebhookRequest, UpdateWebhookRequest } from './webhooks.requests';

const WebhooksResponse = Type.Object(ListWebhooks.reply.properties, { title: 'Webhooks' });

/** Spec §4.9. The dispatcher stores the webhooks. The secret leaves the gateway sealed and is never read back. */
@Controller('api/client/webhooks')
@SessionOf('owner', 'member')
export class WebhooksController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly sealer: Sealer,
    private readonly audit: AuditStore,
  ) {}

  @Get()
  @Responds(WebhooksResponse, 'List the webhooks')
  list(@CurrentUser() { business_id }: BusinessUser) {
    return this.rpc.call(ListWebhooks, { business_id });
  }

  @Post()
  @HttpCode(200)
  @Roles(['owner'])
  @Responds(Made, 'Create a webhook')
  async create(@CurrentUser() user: BusinessUser, @Body() { name, url, events, secret }: CreateWebhookRequest) {
    const secret_sealed = this.sealed(user, secret ?? null);
    const { id } = await this.rpc.call(CreateWebhook, {
      business_id: user.business_id,
      name,
      url,
      events: [...new Set(events)],
      secret_sealed,
    });
    await this.addToAudit(user, 'webhook.created', id);
    return { id, message: 'Webhook created.' };
  }

  @Put(':id')
  @Roles(['owner'])
  @Responds(Done, 'Change a webhook; absent fields stay unchanged')
  async update(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number, @Body() change: UpdateWebhookRequest) {
    const { name, url, events, is_active, keep_old_minutes } = withoutNulls(change);
    if (keep_old_minutes !== undefined && typeof change.secret !== 'string') throw invalid('keep_old_minutes', 'needs a new secret');
    await this.rpc.call(UpdateWebhook, {
      business_id: user.business_id,
      id,
      ...(name !== undefined && { name }),
      ...(url !== undefined && { url }),
      ...(events !== undefined && { events: [...new Set(events)] }),
      ...(change.secret !== undefined && { secret_sealed: this.sealed(user, change.secret) }),
      ...(keep_old_minutes !== undefined && { keep_old_minutes }),
      ...(is_active !== undefined && { is_active: Boolean(is_active) }),
    });
    await this.addToAudit(user, 'webhook.changed', id);
    return { message: 'Webhook updated.' };
  }

  @Delete(':id')
  @Roles(['owner'])
  @Responds(Done, 'Delete a webhook permanently')
  async delete(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number) {
    await this.rpc.call(DeleteWebhook, { business_id: user.business_id, id });
    await this.addToAudit(user, 'webhook.deleted', id);
    return { message: 'Webhook deleted.' };
  }

  private sealed({ business_id }: BusinessUser, secret: string | null): string | null {
    return secret === null ? null : this.sealer.seal(secret, `webhook.secret:${business_id}`);
  }

  private addToAudit({ user_id, business_id }: BusinessUser, action: string, webhook_id: number): Promise<void> {
    return this.audit.add({ user_id, business_id, action, detail: { webhook_id } });
  }
}
