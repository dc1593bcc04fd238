import { Injectable } from '@nestjs/common';
import {
  MAX_COUNTED_TEMPLATES,
  type CountMessages,
  type GetUsage,
  type MessageCounts,
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { failureHelp } from '@mgw/platform-api';
import { Database } from '@mgw/postgres';

interface CountRow extends Record<keyof MessageCounts, string | null> {
  /** Null for messages of the previous period. */
  at: Date | null;
  sent_by: string | null;
  failure_code: string | null;
}
type Counted = ResponseOf<typeof CountMessages>;
type Line = ResponseOf<typeof GetUsage>['usage'][number];

/** Maximum number of changes that one statement folds. */
const MAX_FOLDED = 5_000;

const SUMS = 'sum(sent) AS sent, sum(delivered) AS delivered, sum(read) AS read, sum(failed) AS failed, sum(refused) AS refused';

/** The codes that a count names, the most frequent ones: more than WhatsApp documents. */
const MAX_CODES = 100;

/** One row for each bar and sender; a bar without messages has one row without counts. Then one row for each of the most frequent codes. */
const COUNT = `
  WITH matching AS MATERIALIZED (
    SELECT CASE WHEN bucket >= $2 THEN date_bin($5::interval, bucket AT TIME ZONE $4, timestamp '2000-01-01') END AS bar, sent_by, failure_code, ${SUMS}
    FROM status.usage
    WHERE business_id = $1 AND bucket >= coalesce($6::timestamptz, $2) AND bucket < $3 AND (bucket >= $2 OR bucket < $7::timestamptz)
      AND ($8::text IS NULL OR sent_by = $8) AND ($9::text IS NULL OR kind = $9) AND ($10::text IS NULL OR template = $10)
      AND ($11::bigint IS NULL OR api_key_id = $11) AND ($12::text IS NULL OR failure_code = $12)
    GROUP BY 1, 2, 3
  ), counted AS (
    SELECT bar, sent_by, ${SUMS} FROM matching GROUP BY 1, 2
  ), codes AS (
    SELECT failure_code, ${SUMS} FROM matching WHERE bar IS NOT NULL AND failure_code IS NOT NULL GROUP BY 1
    HAVING sum(failed) + sum(refused) > 0 ORDER BY sum(failed) + sum(refused) DESC, failure_code LIMIT ${MAX_CODES}
  )
  SELECT bars.bar AT TIME ZONE $4 AS at, sent_by, NULL AS failure_code, sent, delivered, read, failed, refused
  FROM generate_series(date_bin($5::interval, $2::timestamptz AT TIME ZONE $4, timestamp '2000-01-01'),
                       ($3::timestamptz AT TIME ZONE $4) - interval '1 microsecond', $5::interval) AS bars (bar)
  FULL JOIN counted c ON c.bar = bars.bar
  UNION ALL SELECT NULL, NULL, codes.* FROM codes
  ORDER BY at, sent_by`;

interface FoldedTable {
  table: string;
  /** The columns by which an index finds the rows that a change adds to. */
  near: string;
  groups: string;
  sums: string[];
}

const USAGE: FoldedTable = {
  table: 'status.usage',
  near: 'business_id, bucket, kind',
  groups: 'business_id, bucket, kind, sent_by, template, api_key_id, failure_code',
  sums: ['sent', 'delivered', 'read', 'failed', 'refused'],
};
const BILLING: FoldedTable = {
  table: 'status.billing',
  near: 'business_id, bucket',
  groups: 'business_id, bucket, category, price_type, billable, market, sent_by, broadcast_id',
  sums: ['count'],
};

const fold = ({ table, near, groups, sums }: FoldedTable) => `
  WITH lock AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtextextended('${table}', 0)) AS held),
  chosen AS MATERIALIZED (
    SELECT u.ctid AS place, ${near} FROM lock, ${table} u WHERE lock.held AND NOT u.folded
    ORDER BY u.bucket LIMIT ${MAX_FOLDED}
  ), changes AS (
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT place FROM chosen)) RETURNING *
  ), earlier AS (
    DELETE FROM ${table} u USING (SELECT DISTINCT ${near} FROM chosen) s
    WHERE ${near
      .split(', ')
      .map((name) => `u.${name} = s.${name}`)
      .join(' AND ')} AND u.folded RETURNING u.*
  ), added AS (
    INSERT INTO ${table} (${groups}, ${sums.join(', ')}, folded)
    SELECT ${groups}, ${sums.map((name) => `sum(${name})`).join(', ')}, true
    FROM (SELECT * FROM changes UNION ALL SELECT * FROM earlier) summed GROUP BY ${groups}
    HAVING ${sums.map((name) => `sum(${name}) <> 0`).join(' OR ')}
  )
  SELECT count(*) AS folded FROM chosen`;

const FOLDS = [USAGE, BILLING].map(fold);

/** Message counts per quarter of an hour. Triggers on the records write the changes. */
@Injectable()
export class UsageStore {
  constructor(private readonly db: Database) {}

  /** Returns the counts per day of the time zone and per kind. */
  async list({ business_id, from, to, timezone }: RequestOf<typeof GetUsage>): Promise<Line[]> {
    const rows = await this.db.reads(business_id).query<Record<Exclude<keyof Line, 'day' | 'kind'>, string> & Pick<Line, 'day' | 'kind'>>(
      `SELECT day::text AS day, kind, sent, delivered, read, failed, refused FROM (
         SELECT (bucket AT TIME ZONE $4)::date AS day, kind, ${SUMS}
         FROM status.usage
         WHERE business_id = $1 AND bucket >= $2::date::timestamp AT TIME ZONE $4 AND bucket < ($3::date + 1)::timestamp AT TIME ZONE $4
         GROUP BY 1, 2
       ) counted WHERE sent + refused > 0 ORDER BY day, kind`,
      [business_id, from, to, timezone],
    );
    return rows.map((row) => ({ day: row.day, kind: row.kind, ...countsOf(row) }));
  }

  /** Counts messages by bar, sender and reason of failure, from the counts alone. */
  async count(request: RequestOf<typeof CountMessages>): Promise<Counted> {
    const { business_id, from, to, previous, timezone, bar_minutes, sent_by, type, template, api_key_id, failure_code } = request;
    const filters = [sent_by, type, template, api_key_id, failure_code].map((value) => value ?? null);
    const period = [from, to, timezone, `${bar_minutes} minutes`, previous?.from ?? null, previous?.to ?? null];
    const rows = await this.db.reads(business_id).query<CountRow>(COUNT, [business_id, ...period, ...filters]);
    const counts: Counted = { bars: [], previous: NOTHING, failures: [] };
    for (const row of rows) {
      const added = countsOf(row);
      if (row.failure_code !== null) {
        const count = added.failed + added.refused;
        counts.failures.push({ failure_code: row.failure_code, ...reasonOf(row.failure_code), count });
        continue;
      }
      if (row.at === null) {
        counts.previous = sum(counts.previous, added);
        continue;
      }
      const at = row.at.toISOString();
      if (counts.bars.at(-1)?.at !== at) counts.bars.push({ at, counts: [] });
      const bar = counts.bars.at(-1) as Counted['bars'][number];
      if (added.sent + added.refused === 0) continue;
      bar.counts.push({ sent_by: row.sent_by, ...added });
    }
    counts.failures.sort((a, b) => b.count - a.count);
    return counts;
  }

  /** The templates that were sent in the last seven days, the most sent first. */
  async templates(businessId: number, timezone: string): Promise<{ name: string; sent: number }[]> {
    const rows = await this.db.reads(businessId).query<{ name: string; sent: string }>(
      `SELECT template AS name, sum(sent) AS sent FROM status.usage
       WHERE business_id = $1 AND bucket >= (date_trunc('day', now() AT TIME ZONE $2) - interval '6 days') AT TIME ZONE $2 AND template IS NOT NULL
       GROUP BY 1 HAVING sum(sent) > 0 ORDER BY sum(sent) DESC, 1 LIMIT ${MAX_COUNTED_TEMPLATES}`,
      [businessId, timezone],
    );
    return rows.map(({ name, sent }) => ({ name, sent: Number(sent) }));
  }

  /** Adds pending changes to their counts. @returns whether more may be pending */
  async fold(): Promise<boolean> {
    let isMore = false;
    for (const statement of FOLDS) {
      const [row] = await this.db.upkeep.query<{ folded: string }>(statement);
      isMore ||= Number(row?.folded) === MAX_FOLDED;
    }
    return isMore;
  }
}

const NOTHING: MessageCounts = { sent: 0, delivered: 0, read: 0, failed: 0, refused: 0 };
const NAMES = Object.keys(NOTHING) as (keyof MessageCounts)[];

function countsOf(row: Record<keyof MessageCounts, string | null>): MessageCounts {
  return Object.fromEntries(NAMES.map((name) => [name, Number(row[name])])) as unknown as MessageCounts;
}

function sum(a: MessageCounts, b: MessageCounts): MessageCounts {
  return Object.fromEntries(NAMES.map((name) => [name, a[name] + b[name]])) as unknown as MessageCounts;
}

const UNCLEAR = {
  reason: 'WhatsApp gave no clear response, so the message may have been sent',
  hint: 'It counts as sent once WhatsApp reports on it.',
};

function reasonOf(code: string): { reason: string; hint: string | null } {
  if (code === 'OUTCOME_UNKNOWN') return UNCLEAR;
  if (code === 'other') return { reason: 'Failures without a code of WhatsApp', hint: null };
  const { text, hint } = failureHelp(Number(code));
  return { reason: text, hint };
}
