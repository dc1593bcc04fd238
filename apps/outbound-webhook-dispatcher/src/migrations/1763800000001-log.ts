import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the delivery log shows, and deliveries by hand, which count nothing (product decision 34). */
export class Log1763800000001 implements MigrationInterface {
  readonly name = 'Log1763800000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dispatch.deliveries
      ADD COLUMN event text NOT NULL DEFAULT '', ADD COLUMN duration_ms integer, ADD COLUMN by_hand boolean NOT NULL DEFAULT false`);
    await runner.query(`UPDATE dispatch.deliveries SET event = body::json ->> 'event'`);
    await runner.query('CREATE INDEX deliveries_of ON dispatch.deliveries (webhook_id, id DESC)');
    // Due work is looked for webhook by webhook: what one look costs follows from what it finds, not from the backlog.
    await runner.query('DROP INDEX dispatch.deliveries_open, dispatch.deliveries_open_order');
    await runner.query(`CREATE INDEX deliveries_open ON dispatch.deliveries (webhook_id, id) WHERE state IN ('pending', 'running')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX dispatch.deliveries_of, dispatch.deliveries_open');
    await runner.query(`CREATE INDEX deliveries_open ON dispatch.deliveries (id) WHERE state IN ('pending', 'running')`);
    await runner.query(
      `CREATE INDEX deliveries_open_order ON dispatch.deliveries (webhook_id, ordering_key, id) WHERE state IN ('pending', 'running')`,
    );
    await runner.query('ALTER TABLE dispatch.deliveries DROP COLUMN event, DROP COLUMN duration_ms, DROP COLUMN by_hand');
  }
}
