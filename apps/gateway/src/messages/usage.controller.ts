import { Controller, Get, Query } from '@nestjs/common';
import { GetUsage } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { ApiKeysService } from '../api-keys/api-keys.service';
import { BusinessesStore } from '../businesses/businesses.store';
import { dayOf, zoneInForce } from '../businesses/zones';
import { invalid } from '../requests/refusals';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { UsageQuery } from './messages.requests';
import { UsageResponse } from './messages.responses';

const DAY_MS = 86_400_000;
const MAX_DAYS = 366;

/** Message counts per day and kind, and today's use of the caps (spec §10). */
@Controller('api/client/usage')
@NeedsSession()
export class UsageController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly businesses: BusinessesStore,
    private readonly keys: ApiKeysService,
  ) {}

  @Get()
  @Responds(UsageResponse, 'Count messages by day and kind')
  async show(@CurrentUser() { business_id }: BusinessUser, @Query() query: UsageQuery) {
    const business = await this.businesses.get(business_id);
    const timezone = zoneInForce(business);
    const { from, to } = period(query, timezone);
    const [{ usage, billing, currency }, keys] = await Promise.all([
      this.rpc.call(GetUsage, { business_id, from, to, timezone }),
      this.keys.list(business_id),
    ]);
    const inUse = keys.filter(({ revoked_at }) => revoked_at === null).sort((one, other) => one.id - other.id);
    // A key and the one that replaced it share one count: the newest stands for both.
    const counted = [...new Map(inUse.map((key) => [key.sends_as, key])).values()];
    return {
      from,
      to,
      timezone,
      usage,
      billing,
      currency,
      keys: counted.map(({ id, name, daily_limit, used_today }) => ({ id, name, daily_limit, used_today })),
    };
  }
}

/** @throws GatewayError for a day that does not exist, a reversed period, or one that is too long */
function period(query: UsageQuery, timezone: string): { from: string; to: string } {
  const to = query.to ?? dayOf(new Date(), timezone);
  const from = query.from ?? new Date(Date.parse(to) - 29 * DAY_MS).toISOString().slice(0, 10);
  for (const [field, day] of Object.entries({ from, to })) {
    const time = Date.parse(day);
    if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day) throw invalid(field, 'must be a day of the calendar');
  }
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS;
  if (days < 0) throw invalid('from', 'must not be after to');
  if (days > MAX_DAYS) throw invalid('from', `must be at most ${MAX_DAYS} days before to`);
  return { from, to };
}
