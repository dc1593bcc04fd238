import { Injectable } from '@nestjs/common';
import type { GetUsage, ReplyOf, RequestOf } from '@mgw/contracts';
import { Database } from '@mgw/postgres';

type Line = ReplyOf<typeof GetUsage>['usage'][number];

/** The most changes that one statement folds. */
const MAX_FOLDED = 5_000;

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
    INSERT INTO status.usage (business_id, bucket, kind, sent, delivered, read, failed, refused, folded)
    SELECT business_id, bucket, kind, sum(sent), sum(delivered), sum(read), sum(failed), sum(refused), true
    FROM (SELECT * FROM changes UNION ALL SELECT * FROM earlier) summed GROUP BY 1, 2, 3
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
         SELECT (bucket AT TIME ZONE $4)::date AS day, kind, sum(sent) AS sent, sum(delivered) AS delivered, sum(read) AS read,
                sum(failed) AS failed, sum(refused) AS refused
         FROM status.usage
         WHERE business_id = $1 AND bucket >= $2::date::timestamp AT TIME ZONE $4 AND bucket < ($3::date + 1)::timestamp AT TIME ZONE $4
         GROUP BY 1, 2
       ) counted WHERE sent + refused > 0 ORDER BY day, kind`,
      [business_id, from, to, timezone],
    );
    return rows.map(({ day, kind, sent, delivered, read, failed, refused }) => ({
      day,
      kind,
      sent: Number(sent),
      delivered: Number(delivered),
      read: Number(read),
      failed: Number(failed),
      refused: Number(refused),
    }));
  }

  /** Adds pending changes to their counts. @returns whether more may be pending */
  async fold(): Promise<boolean> {
    const [row] = await this.db.upkeep.query<{ folded: string }>(FOLD);
    return Number(row?.folded) === MAX_FOLDED;
  }
}
