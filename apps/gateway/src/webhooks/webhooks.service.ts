import { Injectable } from '@nestjs/common';
import { CreateWebhook, DeleteWebhook, ListDeliveries, ListWebhooks, UpdateWebhook, type ResponseOf, type RequestOf } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { AuditStore, entryBy, type Author } from '../audit/audit.store';
import { pageOf, periodOf } from '../requests/page';
import { invalid } from '../requests/refusals';
import { changedFields, withoutNulls } from '../requests/without-nulls';
import { idempotencyOf, scopedTo } from '../requests/idempotency';
import type { CreateWebhookRequest, ListDeliveriesQuery, UpdateWebhookRequest } from './webhooks.requests';

/** The webhooks of a business (spec §4.9), which the dispatcher stores. The secret leaves the gateway sealed and is never read back. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly sealer: Sealer,
    private readonly audit: AuditStore,
  ) {}

  list(business_id: number): Promise<ResponseOf<typeof ListWebhooks>> {
    return this.rpc.call(ListWebhooks, { business_id });
  }

  /** @param caller whose Idempotency-Keys are kept apart from those of others: see scopedTo */
  async create(
    author: Author,
    request: CreateWebhookRequest,
    { idempotencyKey, caller }: { idempotencyKey: string | undefined; caller: string },
  ) {
    const { business_id } = author;
    const { name, url, secret = null } = request;
    const webhook = { name, url, events: [...new Set(request.events)] };
    const idempotency = scopedTo(caller, idempotencyOf(idempotencyKey, CreateWebhook.subject, { ...webhook, secret }));
    const secret_sealed = this.sealed(business_id, secret);
    const { id, replayed = false } = await this.audit.record(
      entryBy(author, 'webhook.created', null, { name, events: request.events, signed: secret_sealed !== null }),
      () => this.rpc.call(CreateWebhook, { business_id, ...webhook, secret_sealed, idempotency }),
      (created) => (created.replayed ? null : { target: `webhook:${created.id}` }),
    );
    return { id, message: 'Webhook created.', replayed };
  }

  async update(author: Author, id: number, change: UpdateWebhookRequest): Promise<{ message: string }> {
    const { business_id } = author;
    const { name, url, events, is_active, keep_old_minutes } = withoutNulls(change);
    if (keep_old_minutes !== undefined && typeof change.secret !== 'string') throw invalid('keep_old_minutes', 'needs a new secret');
    const update: RequestOf<typeof UpdateWebhook> = {
      business_id,
      id,
      ...(name !== undefined && { name }),
      ...(url !== undefined && { url }),
      ...(events !== undefined && { events: [...new Set(events)] }),
      ...(change.secret !== undefined && { secret_sealed: this.sealed(business_id, change.secret) }),
      ...(keep_old_minutes !== undefined && { keep_old_minutes }),
      ...(is_active !== undefined && { is_active: Boolean(is_active) }),
    };
    // Names only: the URL may contain a token.
    const entry = entryBy(author, 'webhook.changed', `webhook:${id}`, { changed: changedFields(change, ['secret']) });
    await this.audit.record(entry, () => this.rpc.call(UpdateWebhook, update));
    return { message: 'Webhook updated.' };
  }

  async delete(author: Author, id: number): Promise<{ message: string }> {
    const { business_id } = author;
    await this.audit.record(
      entryBy(author, 'webhook.deleted', `webhook:${id}`),
      () => this.rpc.call(DeleteWebhook, { business_id, id }),
      (deleted) => ({ detail: deleted }),
    );
    return { message: 'Webhook deleted.' };
  }

  deliveries(business_id: number, webhook_id: number, query: ListDeliveriesQuery): Promise<ResponseOf<typeof ListDeliveries>> {
    const { state = null, event } = query;
    return this.rpc.call(ListDeliveries, {
      business_id,
      webhook_id,
      ...pageOf(query),
      state,
      ...(event !== undefined && { event }),
      ...periodOf(query),
    });
  }

  private sealed(business_id: number, secret: string | null): string | null {
    return secret === null ? null : this.sealer.seal(secret, `webhook.secret:${business_id}`);
  }
}
