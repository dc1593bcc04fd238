import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the platform said of a message belongs to the business whose account said it. */
export class Reports1764200000002 implements MigrationInterface {
  readonly name = 'Reports1764200000002';

  async up(runner: QueryRunner): Promise<void> {
    // Beside `failures`, which has no business and is written by processes of before until they are replaced.
    await runner.query(`CREATE TABLE broadcast.reports (
      business_id bigint NOT NULL,
      message_id text NOT NULL,
      -- why it failed; null: it was read
      reason text,
      at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (business_id, message_id)
    )`);
    await runner.query('CREATE INDEX reports_at ON broadcast.reports (at)');
    await runner.query(`INSERT INTO broadcast.reports (business_id, message_id, reason, at)
      SELECT DISTINCT b.business_id, f.message_id, f.reason, f.at
      FROM broadcast.failures f JOIN broadcast.recipients r USING (message_id) JOIN broadcast.broadcasts b ON b.id = r.broadcast_id`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`INSERT INTO broadcast.failures (message_id, reason, at)
      SELECT DISTINCT ON (message_id) message_id, reason, at FROM broadcast.reports ORDER BY message_id, reason NULLS FIRST
      ON CONFLICT (message_id) DO UPDATE SET reason = NULL WHERE excluded.reason IS NULL`);
    await runner.query('DROP TABLE broadcast.reports');
  }
}
