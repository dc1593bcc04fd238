import { Injectable } from '@nestjs/common';
import { Database } from '@mgw/postgres';
import { parsable } from '../audit/audit.store';
import { invalid } from '../requests/refusals';

/** A later year may have five digits in another time zone. */
const LAST_YEAR = 9999;

/** The periods that have a name; each ends now. */
export const PERIODS = ['24h', '7d', '30d'] as const;
export type PeriodName = (typeof PERIODS)[number];

/** Half-open: `to` is excluded. */
export interface Period {
  from: string;
  to: string;
}
/** A period, and the one before it of the same length; null for a period of days that somebody chose. */
type LogPeriod = { [bound in keyof Period]: string | null } & { previous: Period | null };

/** The whole hours or days that each one begins before the current one, and its length. */
const NAMED: Record<PeriodName, { unit: 'hour' | 'day'; back: string; length: string }> = {
  '24h': { unit: 'hour', back: '23 hours', length: '24 hours' },
  '7d': { unit: 'day', back: '6 days', length: '7 days' },
  '30d': { unit: 'day', back: '29 days', length: '30 days' },
};
const FROM = `(date_trunc($2::text, now() AT TIME ZONE $1::text) - $3::interval)`;
const PERIOD = `SELECT ${FROM} AT TIME ZONE $1 AS "from", now() AS "to", (${FROM} - $4::interval) AT TIME ZONE $1 AS "previousFrom",
  (now() AT TIME ZONE $1 - $4::interval) AT TIME ZONE $1 AS "previousTo"`;

/** SQL of the instant that a bound means. A day as the first bound means its start in the zone; as the last bound it means its end. */
const instant = (bound: string, next: string) =>
  `CASE WHEN length(${bound}) = ${'YYYY-MM-DD'.length} THEN (${bound}::timestamp + interval '${next}') AT TIME ZONE $1 ELSE ${bound}::timestamptz END`;
const BOUNDS = `SELECT ${instant('$2::text', '0')} AS "from", ${instant('$3::text', '1 day')} AS "to"`;

/** PostgreSQL computes the days of time zones here too, so that all pages count the same days. */
@Injectable()
export class LogPeriodStore {
  constructor(private readonly db: Database) {}

  /**
   * The period of a query; bounds without a value are open.
   * @param zone reads the time zone of days
   */
  async resolve(query: { period?: PeriodName; from?: string; to?: string }, zone: () => Promise<string>): Promise<LogPeriod> {
    const { period, from = null, to = null } = query;
    const isChosen = from !== null || to !== null;
    if (period === undefined && !isChosen) return { from, to, previous: null };
    const timezone = await zone();
    if (isChosen || period === undefined) {
      const [row] = await this.db.query<Record<'from' | 'to', Date | null>>(BOUNDS, [timezone, from && parsable(from), to && parsable(to)]);
      for (const bound of ['from', 'to'] as const)
        if ((row?.[bound]?.getUTCFullYear() ?? 0) >= LAST_YEAR) throw invalid(bound, `must be before the year ${LAST_YEAR}`);
      return { from: row?.from?.toISOString() ?? null, to: row?.to?.toISOString() ?? null, previous: null };
    }
    const { unit, back, length } = NAMED[period];
    const [row] = await this.db.query<Record<'from' | 'to' | 'previousFrom' | 'previousTo', Date>>(PERIOD, [timezone, unit, back, length]);
    if (!row) throw new Error('a period has no bounds');
    return {
      from: row.from.toISOString(),
      to: row.to.toISOString(),
      previous: { from: row.previousFrom.toISOString(), to: row.previousTo.toISOString() },
    };
  }
}
