import { Injectable } from '@nestjs/common';
import type { CostSummary, EstimateCost, GetCosts, GetUsage, ResponseOf, RequestOf, UsageBilling } from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { CURRENCY } from './rate-card.store';

type Costs = ResponseOf<typeof GetCosts>;
type Estimate = ResponseOf<typeof EstimateCost>;
type CostRow = Record<keyof CostSummary, string> & { broadcast_id: string | null };

/** The groups of counts with their rate: by day in the zone `$2`, of the counts that match. */
const rated = (columns: string, condition: string) => `
  SELECT c.*, CASE WHEN c.billable THEN status.rate_of(c.market, c.category, c.day) END AS rate FROM (
    SELECT (bucket AT TIME ZONE $2)::date AS day, category, billable, market, ${columns}, sum(count) AS count
    FROM status.billing WHERE business_id = $1 AND ${condition} GROUP BY 1, 2, 3, 4, 5
  ) c WHERE c.count <> 0`;
/** Days of the zone `$2`, the last one included. */
const PERIOD = 'bucket >= $3::date::timestamp AT TIME ZONE $2 AND bucket < ($4::date + 1)::timestamp AT TIME ZONE $2';

/** Multiplies the counts of delivered messages by the rates of their days, so that a new rate card changes no earlier cost. */
@Injectable()
export class CostsStore {
  constructor(private readonly db: Database) {}

  async currency(): Promise<string | null> {
    const [row] = await this.db.query<{ currency: string | null }>(`SELECT ${CURRENCY} AS currency`);
    return row?.currency ?? null;
  }

  async billing({ business_id, from, to, timezone }: RequestOf<typeof GetUsage>): Promise<UsageBilling[]> {
    const rows = await this.db.reads(business_id).query<Omit<UsageBilling, 'count' | 'cost'> & { count: string; cost: string | null }>(
      `SELECT day::text AS day, category, price_type AS type, billable, sum(count) AS count, trim_scale(sum(count * rate))::text AS cost
       FROM (${rated('price_type', PERIOD)}) lines
       GROUP BY lines.day, category, price_type, billable, rate IS NULL ORDER BY lines.day, category, price_type, billable, cost NULLS LAST`,
      [business_id, timezone, from, to],
    );
    return rows.map(({ cost, ...row }) => ({ ...row, count: Number(row.count), ...(cost !== null && { cost }) }));
  }

  async costs({ business_id, timezone, of }: RequestOf<typeof GetCosts>): Promise<Costs> {
    const isBroadcasts = 'broadcast_ids' in of;
    const lines = isBroadcasts
      ? rated('broadcast_id', 'broadcast_id = ANY ($3::bigint[])')
      : rated('NULL::bigint AS broadcast_id', `${PERIOD} AND sent_by = $5`);
    const rows = await this.db.reads(business_id).query<CostRow>(
      `SELECT broadcast_id, trim_scale(coalesce(sum(count * rate), 0))::text AS cost, coalesce(sum(count) FILTER (WHERE billable), 0) AS charged,
         coalesce(sum(count) FILTER (WHERE NOT billable), 0) AS free,
         coalesce(sum(count) FILTER (WHERE billable AND rate IS NULL), 0) AS without_rate
       FROM (${lines}) lines GROUP BY broadcast_id`,
      isBroadcasts ? [business_id, timezone, of.broadcast_ids] : [business_id, timezone, of.from, of.to, of.sent_by],
    );
    return {
      currency: await this.currency(),
      costs: rows.map(({ broadcast_id, cost, charged, free, without_rate }) => ({
        ...(broadcast_id !== null && { broadcast_id: Number(broadcast_id) }),
        ...{ cost, charged: Number(charged), free: Number(free), without_rate: Number(without_rate) },
      })),
    };
  }

  async estimate({ category, day, markets }: RequestOf<typeof EstimateCost>): Promise<Estimate> {
    const rows = await this.db.query<Estimate['markets'][number] & { total: string }>(
      `SELECT market, count, trim_scale(rate)::text AS price, trim_scale(count * rate)::text AS cost,
         trim_scale(coalesce(sum(count * rate) OVER (), 0))::text AS total
       FROM (SELECT *, status.rate_of(market, $1, $2::date) AS rate FROM unnest($3::text[], $4::integer[]) WITH ORDINALITY AS m (market, count, nth)) r
       ORDER BY nth`,
      [category, day, markets.map(({ market }) => market), markets.map(({ count }) => count)],
    );
    return { currency: await this.currency(), cost: rows[0]?.total ?? '0', markets: rows.map(({ total: _, ...market }) => market) };
  }
}
