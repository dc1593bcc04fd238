import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each webhook and conversation with open deliveries has one row in `lanes`; its worker holds the only attempt under way. A dispatcher
 * finds due lanes by index, however many deliveries wait behind blocked ones.
 */
export class Lanes1764400000003 implements MigrationInterface {
  readonly name = 'Lanes1764400000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE dispatch.lanes (
      webhook_id bigint NOT NULL,
      ordering_key text COLLATE "C" NOT NULL,
      business_id bigint NOT NULL,
      -- the worker that makes the attempt, see WorkerHeartbeat; null: nothing is under way
      worker text COLLATE "C",
      -- the delivery under way
      delivery_id bigint,
      -- deliveries that are open, with the one under way
      open integer NOT NULL,
      -- since when nothing is under way
      due_since timestamptz NOT NULL DEFAULT clock_timestamp(),
      -- its next delivery has lost two workers: only one such delivery is attempted at a time
      suspect boolean NOT NULL DEFAULT false,
      PRIMARY KEY (webhook_id, ordering_key)
    ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`);
    await runner.query(
      'CREATE INDEX lanes_due ON dispatch.lanes (business_id, webhook_id, due_since) WHERE worker IS NULL AND NOT suspect',
    );
    await runner.query('CREATE INDEX lanes_suspect ON dispatch.lanes (due_since) WHERE worker IS NULL AND suspect');
    await runner.query('CREATE INDEX lanes_held ON dispatch.lanes (worker, delivery_id) WHERE worker IS NOT NULL');
    // Nothing that the end of an attempt changes is indexed: its row stays on its page, and no index grows with it.
    await runner.query(`ALTER TABLE dispatch.deliveries
      ADD COLUMN waits boolean NOT NULL DEFAULT false, ADD COLUMN lost_workers smallint NOT NULL DEFAULT 0`);
    await runner.query(
      `UPDATE dispatch.deliveries SET waits = true, state = 'pending', lease_until = NULL WHERE state IN ('pending', 'running')`,
    );
    await runner.query(`INSERT INTO dispatch.lanes (webhook_id, ordering_key, business_id, open)
      SELECT webhook_id, ordering_key, min(business_id), count(*) FROM dispatch.deliveries WHERE waits GROUP BY webhook_id, ordering_key`);
    await runner.query('DROP INDEX dispatch.deliveries_open, dispatch.deliveries_finished');
    await runner.query('CREATE INDEX deliveries_waiting ON dispatch.deliveries (webhook_id, ordering_key COLLATE "C", id) WHERE waits');
    // By the event first: the log of a webhook must not be read to find one event in it.
    await runner.query('CREATE UNIQUE INDEX deliveries_event ON dispatch.deliveries (event_id, webhook_id)');
    await runner.query('ALTER TABLE dispatch.deliveries DROP CONSTRAINT deliveries_webhook_id_event_id_key');
    await runner.query('CREATE INDEX deliveries_made ON dispatch.deliveries (created_at)');
    await runner.query('ALTER TABLE dispatch.deliveries SET (fillfactor = 70)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dispatch.deliveries RESET (fillfactor)');
    await runner.query('DROP INDEX dispatch.deliveries_made, dispatch.deliveries_event, dispatch.deliveries_waiting');
    await runner.query('ALTER TABLE dispatch.deliveries ADD UNIQUE (webhook_id, event_id)');
    await runner.query(`CREATE INDEX deliveries_open ON dispatch.deliveries (webhook_id, id) WHERE state IN ('pending', 'running')`);
    await runner.query('CREATE INDEX deliveries_finished ON dispatch.deliveries (finished_at) WHERE finished_at IS NOT NULL');
    await runner.query('ALTER TABLE dispatch.deliveries DROP COLUMN waits, DROP COLUMN lost_workers');
    await runner.query('DROP TABLE dispatch.lanes');
  }
}
