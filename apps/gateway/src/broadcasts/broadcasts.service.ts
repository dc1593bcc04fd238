import { Injectable } from '@nestjs/common';
import {
  CancelBroadcast,
  CheckBroadcast,
  CheckRetry,
  CreateBroadcast,
  EstimateCost,
  GetBroadcast,
  GetCosts,
  ListBroadcasts,
  ListRecipients,
  PauseBroadcast,
  ResumeBroadcast,
  RetryBroadcast,
  type ResponseOf,
  type RequestOf,
  type Sender,
} from '@mgw/contracts';
import { marketName } from '@mgw/phone';
import { RpcClient } from '@mgw/rpc';
import { AuditStore, authorFields, type Author } from '../audit/audit.store';
import { broadcastDailyLimit, BusinessesStore, type Business } from '../businesses/businesses.store';
import { dayOf, zoneInForce } from '../businesses/zones';
import { DEFAULT_LANGUAGE } from '../requests/field-rules';
import { queryOptional } from '../requests/optional-query';
import { pageOf, type PageQuery } from '../requests/page';
import { Downloads } from '../responses/downloads';
import { idempotencyOf } from '../requests/idempotency';
import type { CheckBroadcastRequest, CreateBroadcastRequest, ListRecipientsQuery } from './broadcasts.requests';
import { broadcastRows } from './recipient-rows';
import { recipientsCsv, valueCounts } from './recipients-csv';

type Charged = NonNullable<RequestOf<typeof CreateBroadcast>['charged']>;
interface Creation {
  requestId: string;
  /** The header `Idempotency-Key`, unchecked. */
  idempotencyKey: string | string[] | undefined;
  /** For an API key: its cap, and the scope of its Idempotency-Keys. */
  key?: { charged: Charged; scoped: (idempotency: Sender['idempotency']) => Sender['idempotency'] };
}

type Start = Pick<RequestOf<typeof CheckBroadcast>, 'scheduled_at' | 'timezone'>;
type Audience = Pick<ResponseOf<typeof CheckBroadcast>, 'category' | 'suppressed' | 'markets'>;

/** Recipients that a download holds in memory at a time. */
const CSV_PAGE = 100;
const CHANGES = { cancelled: CancelBroadcast, paused: PauseBroadcast, resumed: ResumeBroadcast };

/** The broadcasts of a business (spec §10). The broadcast service stores and runs them. */
@Injectable()
export class BroadcastsService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly businesses: BusinessesStore,
    private readonly audit: AuditStore,
    private readonly downloads: Downloads,
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

  /** @param charged the API key that would create the broadcast, and its cap */
  async check(business_id: number, request: CheckBroadcastRequest, charged?: Charged) {
    const business = await this.businesses.get(business_id);
    const draft = { ...(await draftOf(request)), ...limitOf(business), ...(charged && { plan: business.plan, charged }) };
    const checked = await this.rpc.call(CheckBroadcast, draft);
    return this.withEstimate(checked, draft);
  }

  /** Shows what a retry would do, and does nothing. */
  async checkRetry(business_id: number, id: number) {
    const limit = limitOf(await this.businesses.get(business_id));
    const checked = await this.rpc.call(CheckRetry, { id, ...limit });
    return this.withEstimate(checked, { scheduled_at: null, timezone: limit.timezone });
  }

  private async withEstimate<T extends Audience>({ markets, suppressed = null, ...checked }: T, start: Start) {
    return { ...checked, suppressed, estimate: await this.estimate(checked.category, markets, start) };
  }

  /** @returns null if the status service does not respond in time */
  private async estimate(category: string | undefined, recipients: Audience['markets'], { scheduled_at, timezone }: Start) {
    if (category === undefined || recipients === undefined) return null;
    const day = dayOf(scheduled_at === null ? new Date() : new Date(scheduled_at), timezone);
    const found = await queryOptional(this.rpc, EstimateCost, { category: category.toLowerCase(), day, markets: recipients });
    if (found === null) return null;
    const markets = found.markets.map((one) => ({ name: marketName(one.market) || 'Unknown countries', ...one }));
    const without_rate = markets.reduce((sum, { price, count }) => sum + (price === null ? count : 0), 0);
    return { ...found, markets, without_rate };
  }

  async list(business_id: number, query: PageQuery) {
    const { broadcasts, next_cursor } = await this.rpc.call(ListBroadcasts, { business_id, ...pageOf(query) });
    const costs = await this.costs(
      business_id,
      broadcasts.map(({ id }) => id),
    );
    return { broadcasts: broadcasts.map((one) => ({ ...one, cost: costs.get(one.id) ?? null })), next_cursor };
  }

  private async costs(business_id: number, broadcast_ids: number[]) {
    const timezone = zoneInForce(await this.businesses.get(business_id));
    const found = await queryOptional(this.rpc, GetCosts, { business_id, timezone, of: { broadcast_ids } });
    return new Map(found?.costs.map(({ broadcast_id, ...cost }) => [broadcast_id, { currency: found.currency, ...cost }]));
  }

  async get(business_id: number, id: number) {
    const { broadcast, ...progress } = await this.rpc.call(GetBroadcast, { business_id, id });
    const costs = await this.costs(business_id, [id]);
    return { ...broadcast, ...progress, cost: costs.get(id) ?? null };
  }

  recipients(business_id: number, id: number, query: ListRecipientsQuery): Promise<ResponseOf<typeof ListRecipients>> {
    return this.rpc.call(ListRecipients, { ...recipientsOf(business_id, id, query), ...pageOf(query) });
  }

  /**
   * All recipients as CSV that `POST …/broadcasts` and the dashboard read again.
   * @throws GatewayError NOT_FOUND, RATE_LIMITED
   */
  async download(business_id: number, id: number, query: ListRecipientsQuery): Promise<never> {
    const request = { ...recipientsOf(business_id, id, query), values: true, limit: CSV_PAGE };
    const first = await this.rpc.call(ListRecipients, { ...request, cursor: null });
    return this.downloads.stream(String(business_id), recipientsCsv(valueCounts(first), this.pages(request, first)), {
      type: 'text/csv; charset=utf-8',
      filename: `broadcast-${id}.csv`,
    });
  }

  /** Writes again to those of an ended broadcast who definitely failed. */
  async retry(author: Author, id: number, { requestId, idempotencyKey }: Creation) {
    const business = await this.businesses.get(author.business_id);
    const idempotency = idempotencyOf(idempotencyKey, RetryBroadcast.subject, { id });
    const request = { id, ...limitOf(business), plan: business.plan, idempotency };
    const made = await this.audit.record(
      { ...authorFields(author), action: 'broadcast.created', target: null, detail: { retry_of: id } },
      () => this.rpc.call(RetryBroadcast, request, { requestId }),
      (created) => (created.replayed ? null : { target: `broadcast:${created.id}` }),
    );
    return { ...made, message: 'Broadcast started.' };
  }

  /** The page and those after it. It holds the current page only. */
  private async *pages(
    request: Omit<RequestOf<typeof ListRecipients>, 'cursor'>,
    page: ResponseOf<typeof ListRecipients>,
  ): AsyncGenerator<ResponseOf<typeof ListRecipients>, void> {
    for (;;) {
      yield page;
      const cursor = page.next_cursor;
      if (cursor === null) return;
      page = await this.rpc.call(ListRecipients, { ...request, cursor });
    }
  }

  async change(author: Author, done: keyof typeof CHANGES, id: number): Promise<{ message: string }> {
    const action = `broadcast.${done}` as const;
    await this.audit.record({ ...authorFields(author), action, target: `broadcast:${id}`, detail: {} }, () =>
      this.rpc.call(CHANGES[done], { business_id: author.business_id, id }),
    );
    return { message: `Broadcast ${done}.` };
  }
}

function recipientsOf(business_id: number, id: number, { state, phone, reason }: ListRecipientsQuery) {
  const digits = phone?.replace(/\D/g, '') ?? '';
  return { business_id, id, state: state ?? null, phone: digits === '' ? null : digits, reason: reason ?? null };
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
