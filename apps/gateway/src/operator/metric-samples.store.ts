import { Injectable } from '@nestjs/common';
import { Database } from '@mgw/postgres';

/** Metrics by service and name. */
type Metrics = Record<string, Record<string, number>>;

@Injectable()
export class MetricSamplesStore {
  constructor(private readonly db: Database) {}

  /** @returns false if another gateway has taken the sample of this minute */
  async claimMinute(): Promise<boolean> {
    const claimed = await this.db.query(
      `INSERT INTO access.metric_samples (minute, metrics) VALUES (date_trunc('minute', now()), '{}') ON CONFLICT DO NOTHING RETURNING minute`,
    );
    return claimed.length > 0;
  }

  /** Stores the sample of the current minute, and deletes those of more than an hour ago. */
  async store(metrics: Metrics): Promise<void> {
    await this.db.query(
      `INSERT INTO access.metric_samples AS s (minute, metrics) VALUES (date_trunc('minute', now()), $1)
       ON CONFLICT (minute) DO UPDATE SET metrics = excluded.metrics`,
      [JSON.stringify(metrics)],
    );
    await this.db.query(`DELETE FROM access.metric_samples WHERE minute < now() - interval '61 minutes'`);
  }

  async list(): Promise<{ at: string; services: Metrics }[]> {
    const rows = await this.db
      .reads('service')
      .query<{ minute: Date; metrics: Metrics }>(
        `SELECT minute, metrics FROM access.metric_samples WHERE minute > now() - interval '1 hour' ORDER BY minute`,
      );
    return rows.map(({ minute, metrics }) => ({ at: minute.toISOString(), services: metrics }));
  }
}
