import { Injectable } from '@nestjs/common';
import type { CountMessages, GetUsage, MessageCounts, ReplyOf, RequestOf } from '@mgw/contracts';
import { failureHelp } from '@mgw/platform-api';
import { Database } from '@mgw/postgres';

interface CountRow extends Record<keyof MessageCounts, string | null> {
  /** Null for messages of the previous period. */
  at: Date | null;
  sent_by: string | null;
  failure_code: string | null;
}
type Counted = ReplyOf<typeof CountMessages>;
type Line = ReplyOf<typeof GetUsage>['usage'][number];

/** The most changes that one statement folds. */
const MAX_FOLDED = 5_000;

const SUMS = 'sum(sent) AS sent, sum(delivered) AS delivered, sum(read) AS read, sum(failed) AS failed, sum(refused) AS refused';

/** The codes that a count names, the most frequent ones. */
const MOST_CODES = 20;

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
    HAVING sum(failed) + sum(refused) > 0 ORDER BY sum(failed) + sum(refused) DESC, failure_code LIMIT ${MOST_CODES}
  )
  SELECT bars.bar AT TIME ZONE $4 AS at, sent_by, NULL AS failure_code, sent, delivered, read, failed, refused
  FROM generate_series(date_bin($5::interval, $2::timestamptz AT TIME ZONE $4, timestamp '2000-01-01'),
                       ($3::timestamptz AT TIME ZONE $4) - interval '1 microsecond', $5::interval) AS bars (bar)
  FULL JOIN counted c ON c.bar = bars.bar
  UNION ALL SELECT NULL, NULL, codes.* FROM codes
  ORDER BY at, sent_by`;

const FOLD = `
  WITH lock AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtextextended('status.usage', 0)) AS held),
  chosen AS MATERIALIZED (
    SELECT u.ctid AS place, u.business_id, u.bucket, u.kind FROM lock, status.usage u WHERE lock.held AND NOT u.folded
    ORDER BY u.bucket LIMIT ${MAX_FOLDED}
  ), changes AS (
    DELETE FROM status.usage WHERE ctid = ANY (ARRAY(SELECT place FROM chosen)) RETURNING *
  ), earlier AS (
    DELETE FROM status.usage u USING (SELECT DISTINCT business_id, bucket, kind FROM chosen) s
    WHERE u.business_id = s.business_id AND u.bucket = s.bucket AND u.kind = s.kind AND u.folded RETURNING u.*
  ), added AS (
    INSERT INTO status.usage (business_id, bucket, kind, sent_by, template, api_key_id, failure_code, sent, delivered, read, failed, refused, folded)
    SELECT business_id, bucket, kind, sent_by, template, api_key_id, failure_code,
           sum(sent), sum(delivered), sum(read), sum(failed), sum(refused), true
    FROM (SELECT * FROM changes UNION ALL SELECT * FROM earlier) summed GROUP BY 1, 2, 3, 4, 5, 6, 7
    HAVING (sum(sent), sum(delivered), sum(read), sum(failed), sum(refused)) <> (0, 0, 0, 0, 0)
  )
  SELECT count(*) AS folded FROM chosen`;

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

  /** Adds pending changes to their counts. @returns whether more may be pending */
  async fold(): Promise<boolean> {
    const [row] = await this.db.upkeep.query<{ folded: string }>(FOLD);
    return Number(row?.folded) === MAX_FOLDED;
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

function reasonOf(code: string): { reason: string; hint: string | null } {
  if (code === 'other') return { reason: 'Failures without a code of WhatsApp', hint: null };
  const { text, hint } = failureHelp(Number(code));
  return { reason: text, hint };
}
