import { Injectable } from '@nestjs/common';
import { ListMessages, type LoggedMessage, type RequestOf } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { BusinessesStore } from '../businesses/businesses.store';
import { zoneInForce } from '../businesses/zones';
import { pageOf } from '../requests/page';
import { Downloads } from '../responses/downloads';
import { LogPeriodStore } from './log-period.store';
import { countedFilter, phonesOf, type ListMessagesQuery } from './messages.requests';

/** Messages that a download holds in memory at a time: the most of one page. */
const CSV_PAGE = 100;
const COLUMNS = [
  ...['message_id', 'sent_at', 'to', 'type', 'template', 'text', 'sent_by', 'api_key_id', 'delivery_status', 'failure_reason'],
] as Exclude<keyof LoggedMessage, 'billing'>[];
const BILLING = ['billable', 'category', 'price_type'];
const cellsOf = ({ billing, ...message }: LoggedMessage) => [
  ...COLUMNS.map((name) => message[name] ?? ''),
  ...(billing ? [String(billing.billable), billing.category, billing.type] : BILLING.map(() => '')),
];

type Filter = Omit<RequestOf<typeof ListMessages>, 'limit' | 'cursor'>;

/** The log of sent messages at the dashboard. */
@Injectable()
export class SentMessages {
  constructor(
    private readonly rpc: RpcClient,
    private readonly businesses: BusinessesStore,
    private readonly periods: LogPeriodStore,
    private readonly downloads: Downloads,
  ) {}

  /** @throws GatewayError RATE_LIMITED for too many downloads */
  async read(business_id: number, query: ListMessagesQuery) {
    const filter = await this.filterOf(business_id, query);
    if (query.format === 'csv')
      return this.downloads.csv(String(business_id), 'messages.csv', [...COLUMNS, ...BILLING], async (cursor) => {
        const { messages, next_cursor } = await this.rpc.call(ListMessages, { ...filter, limit: CSV_PAGE, cursor });
        return { rows: messages.map(cellsOf), next_cursor };
      });
    const { messages, next_cursor } = await this.rpc.call(ListMessages, { ...filter, ...pageOf(query) });
    return { messages, next_cursor };
  }

  private async filterOf(business_id: number, query: ListMessagesQuery): Promise<Filter> {
    const { from, to } = await this.periods.resolve(query, async () => zoneInForce(await this.businesses.get(business_id)));
    return {
      business_id,
      status: query.status ?? null,
      search: query.q ?? null,
      ...(await this.phoneFilter(business_id, query.phone)),
      ...countedFilter(query),
      ...(from !== null && { from }),
      // The log includes its end, to the millisecond.
      ...(to !== null && { to: new Date(Date.parse(to) - 1).toISOString() }),
    };
  }

  /** An index finds a complete number. Digits that may be one are looked for as such first, because a part is compared row by row. */
  private async phoneFilter(business_id: number, typed: string | undefined): Promise<Pick<Filter, 'phone' | 'phone_part'>> {
    const { phone, part } = phonesOf(typed);
    if (part === null) return { phone };
    if (phone !== null) {
      const first = { business_id, phone, limit: 1, cursor: null, status: null, search: null };
      if ((await this.rpc.call(ListMessages, first)).messages.length > 0) return { phone };
    }
    return { phone: null, phone_part: part };
  }
}
