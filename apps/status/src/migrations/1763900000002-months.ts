import { divideByMonth, uniteMonths, type MonthlyTable } from '@mgw/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const RECORDS: MonthlyTable = { table: 'status.records', column: 'month', fillfactor: 80 };
const HISTORY: MonthlyTable = { table: 'status.history', column: 'occurred_at' };
const HISTORY_KEY = 'business_id, message_id, status, occurred_at';

/**
 * Records and their history by month. A partitioned table can hold a message once in each month only; that it has one record in
 * all of them follows from its key, which names the month (records.store.ts).
 */
export class Months1763900000002 implements MigrationInterface {
  readonly name = 'Months1763900000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE status.record_keys (
      business_id bigint NOT NULL,
      message_id text NOT NULL,
      -- its first day
      month date NOT NULL,
      PRIMARY KEY (business_id, message_id)
    )`);
    await runner.query(`INSERT INTO status.record_keys
      SELECT business_id, message_id, date_trunc('month', coalesce(sent_at,
        (SELECT min(occurred_at) FROM status.history h WHERE h.business_id = r.business_id AND h.message_id = r.message_id), now()
      ) AT TIME ZONE 'UTC') FROM status.records r`);
    await runner.query('CREATE INDEX record_keys_month ON status.record_keys (month)');
    await runner.query('ALTER TABLE status.records ADD COLUMN month date');
    await runner.query(`UPDATE status.records r SET month = k.month FROM status.record_keys k
      WHERE k.business_id = r.business_id AND k.message_id = r.message_id`);
    await runner.query('ALTER TABLE status.records ALTER COLUMN month SET NOT NULL');
    await divideByMonth(runner, RECORDS, 'business_id, message_id, month');
    await divideByMonth(runner, HISTORY, HISTORY_KEY);
  }

  async down(runner: QueryRunner): Promise<void> {
    await uniteMonths(runner, HISTORY, HISTORY_KEY);
    await uniteMonths(runner, RECORDS, 'business_id, message_id');
    await runner.query('ALTER TABLE status.records DROP COLUMN month');
    await runner.query('DROP TABLE status.record_keys');
  }
}
