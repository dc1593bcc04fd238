import { Injectable } from '@nestjs/common';
import { CountMessages } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { BusinessesStore } from '../businesses/businesses.store';
import { zoneInForce } from '../businesses/zones';
import { invalid } from '../requests/refusals';
import { LogPeriodStore } from './log-period.store';
import { countedFilter, type CountMessagesQuery } from './messages.requests';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const MAX_DAYS = 366;
/** The longest period, in days, whose bars have this length in minutes. */
const BARS = [
  { days: 0.5, minutes: 15 },
  { days: 8, minutes: 60 },
  { days: 14, minutes: 180 },
  { days: Infinity, minutes: 1_440 },
];

/** Counts of sent messages, for the home page and the histogram of the log. */
@Injectable()
export class MessageCountsService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly businesses: BusinessesStore,
    private readonly periods: LogPeriodStore,
  ) {}

  /** @throws GatewayError VALIDATION_FAILED for a reversed period, or one that is too long */
  async count(business_id: number, { period = '30d', ...query }: CountMessagesQuery) {
    const timezone = zoneInForce(await this.businesses.get(business_id));
    const { previous, ...bounds } = await this.periods.resolve({ ...query, period }, () => Promise.resolve(timezone));
    const to = bounds.to ?? new Date().toISOString();
    const from = bounds.from ?? new Date(Date.parse(to) - 30 * DAY_MS).toISOString();
    const days = (Date.parse(to) - Date.parse(from)) / DAY_MS;
    if (days <= 0) throw invalid('from', 'must not be after to');
    // A day of summer time's end has 25 hours.
    if (days > MAX_DAYS + 1) throw invalid('from', `must be at most ${MAX_DAYS} days before to`);
    const bar_minutes = BARS.find((bar) => days <= bar.days)?.minutes ?? 1_440;
    const request = { business_id, from, to, previous, timezone, bar_minutes, ...countedFilter(query) };
    const { bars, failures, previous: before } = await this.rpc.call(CountMessages, request);
    return { from, to, timezone, bar_minutes, bars, previous: previous && before, failures };
  }
}
