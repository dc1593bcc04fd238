import { Injectable } from '@nestjs/common';
import {
  CancelBroadcast,
  CheckBroadcast,
  CreateBroadcast,
  GetBroadcast,
  ListRecipients,
  PauseBroadcast,
  ResumeBroadcast,
  type ReplyOf,
  type RequestOf,
  type Sender,
} from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { AuditStore, authorFields, type Author } from '../audit/audit.store';
import { broadcastDailyLimit, BusinessesStore, type Business } from '../businesses/businesses.store';
import { zoneInForce } from '../businesses/zones';
import { DEFAULT_LANGUAGE } from '../requests/field-rules';
import { pageOf } from '../requests/page';
import { idempotencyOf } from '../sending/idempotency';
import type { CheckBroadcastRequest, CreateBroadcastRequest, ListRecipientsQuery } from './broadcasts.requests';
import { broadcastRows } from './recipient-rows';

type Charged = NonNullable<RequestOf<typeof CreateBroadcast>['charged']>;
interface Creation {
  requestId: string;
  /** The header `Idempotency-Key`, unchecked. */
  idempotencyKey: string | string[] | undefined;
  /** For an API key: its cap, and the scope of its Idempotency-Keys. */
  key?: { charged: Charged; scoped: (idempotency: Sender['idempotency']) => Sender['idempotency'] };
}

const CHANGES = { cancelled: CancelBroadcast, paused: PauseBroadcast, resumed: ResumeBroadcast };

/** The broadcasts of a business (spec §10). The broadcast service stores and runs them. */
@Injectable()
export class BroadcastsService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly businesses: BusinessesStore,
    private readonly audit: AuditStore,
  ) {}

  async create(
    author: Author,
    request: CreateBroadcastRequest,
    { requestId, idempotencyKey, key }: Creation,
  ): Promise<{ id: number; message: string; replayed: boolean }> {
    const business = await this.businesses.get(author.business_id);
    const { name, template_name, scheduled_at } = request;
    const draft = { name, ...(await draftOf(request)) };
    const own = idempotencyOf(idempotencyKey, CreateBroadcast.subject, draft);
    const creation = {
      ...draft,
      ...limitOf(business),
      plan: business.plan,
      idempotency: key ? key.scoped(own) : own,
      ...(key && { charged: key.charged }),
    };
    const detail = { name, template_name, recipients: draft.recipients.length };
    const { id, replayed = false } = await this.audit.record(
      { ...authorFields(author), action: 'broadcast.created', target: null, detail },
      () => this.rpc.call(CreateBroadcast, creation, { requestId }),
      (created) => (created.replayed ? null : { target: `broadcast:${created.id}` }),
    );
    return { id, message: scheduled_at ? 'Broadcast scheduled.' : 'Broadcast started.', replayed };
  }

  async check(business_id: number, request: CheckBroadcastRequest): Promise<ReplyOf<typeof CheckBroadcast>> {
    const business = await this.businesses.get(business_id);
    return this.rpc.call(CheckBroadcast, { ...(await draftOf(request)), ...limitOf(business) });
  }

  async get(business_id: number, id: number) {
    const { broadcast, failures } = await this.rpc.call(GetBroadcast, { business_id, id });
    return { ...broadcast, failures };
  }

  recipients(business_id: number, id: number, query: ListRecipientsQuery): Promise<ReplyOf<typeof ListRecipients>> {
    return this.rpc.call(ListRecipients, { business_id, id, ...pageOf(query), state: query.state ?? null });
  }

  async change(author: Author, done: keyof typeof CHANGES, id: number): Promise<{ message: string }> {
    const action = `broadcast.${done}` as const;
    await this.audit.record({ ...authorFields(author), action, target: `broadcast:${id}`, detail: {} }, () =>
      this.rpc.call(CHANGES[done], { business_id: author.business_id, id }),
    );
    return { message: `Broadcast ${done}.` };
  }
}

async function draftOf(request: CheckBroadcastRequest) {
  const { template_name, language, scheduled_at } = request;
  return {
    template_name,
    language: language ?? DEFAULT_LANGUAGE,
    recipients: await broadcastRows(request),
    scheduled_at: scheduled_at ? new Date(scheduled_at).toISOString() : null,
  };
}

function limitOf(business: Business) {
  return { business_id: business.id, timezone: zoneInForce(business), daily_limit: broadcastDailyLimit(business) };
}
