import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { CreateWebhook, DeleteWebhook, ListWebhooks, UpdateWebhook, type RequestOf } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { AuditStore, type AuditEntry } from '../audit/audit.store';
import { IdPipe } from '../requests/id.pipe';
import { invalid } from '../requests/refusals';
import { withoutNulls } from '../requests/without-nulls';
import { Done, Made } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { CreateWebhookRequest, UpdateWebhookRequest } from './webhooks.requests';

const WebhooksResponse = Type.Object(ListWebhooks.reply.properties, { title: 'Webhooks' });

/** Spec §4.9. The dispatcher stores the webhooks. The secret leaves the gateway sealed and is never read back. */
@Controller('api/client/webhooks')
@NeedsSession()
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
  @Responds(Made, 'Create a webhook')
  async create(@CurrentUser() user: BusinessUser, @Body() { name, url, events, secret }: CreateWebhookRequest) {
    const secret_sealed = this.sealed(user, secret ?? null);
    const webhook = { business_id: user.business_id, name, url, events: [...new Set(events)], secret_sealed };
    const { id } = await this.audit.record(
      this.entry(user, 'webhook.created', null, { name, events, signed: secret_sealed !== null }),
      () => this.rpc.call(CreateWebhook, webhook),
      ({ id }) => ({ target: `webhook:${id}` }),
    );
    return { id, message: 'Webhook created.' };
  }

  @Put(':id')
  @Responds(Done, 'Change a webhook; absent fields stay unchanged')
  async update(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number, @Body() change: UpdateWebhookRequest) {
    const { name, url, events, is_active, keep_old_minutes } = withoutNulls(change);
    if (keep_old_minutes !== undefined && typeof change.secret !== 'string') throw invalid('keep_old_minutes', 'needs a new secret');
    const update: RequestOf<typeof UpdateWebhook> = {
      business_id: user.business_id,
      id,
      ...(name !== undefined && { name }),
      ...(url !== undefined && { url }),
      ...(events !== undefined && { events: [...new Set(events)] }),
      ...(change.secret !== undefined && { secret_sealed: this.sealed(user, change.secret) }),
      ...(keep_old_minutes !== undefined && { keep_old_minutes }),
      ...(is_active !== undefined && { is_active: Boolean(is_active) }),
    };
    const entry = this.entry(user, 'webhook.changed', id, { changed: Object.keys(change) });
    await this.audit.record(entry, () => this.rpc.call(UpdateWebhook, update));
    return { message: 'Webhook updated.' };
  }

  @Delete(':id')
  @Responds(Done, 'Delete a webhook permanently')
  async delete(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number) {
    const { business_id } = user;
    await this.audit.record(this.entry(user, 'webhook.deleted', id), () => this.rpc.call(DeleteWebhook, { business_id, id }));
    return { message: 'Webhook deleted.' };
  }

  private sealed({ business_id }: BusinessUser, secret: string | null): string | null {
    return secret === null ? null : this.sealer.seal(secret, `webhook.secret:${business_id}`);
  }

  /** @param detail without the URL, which may contain a token */
  private entry(
    { user_id, business_id }: BusinessUser,
    action: 'webhook.created' | 'webhook.changed' | 'webhook.deleted',
    id: number | null,
    detail: Record<string, unknown> = {},
  ): AuditEntry {
    return { user_id, business_id, action, target: id === null ? null : `webhook:${id}`, detail };
  }
}
