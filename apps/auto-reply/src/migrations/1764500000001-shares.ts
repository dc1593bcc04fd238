import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Questions are taken business by business; those of a dead worker are free at once, and one that stops workers is set aside. */
export class Shares1764500000001 implements MigrationInterface {
  readonly name = 'Shares1764500000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE auto_reply.replies
      -- the worker that holds it (auto_reply.workers)
      ADD COLUMN worker_id text,
      -- tries that began and did not end, because their process died
      ADD COLUMN begun smallint NOT NULL DEFAULT 0`);
    await runner.query(`CREATE INDEX replies_waiting ON auto_reply.replies (business_id, due_at) WHERE state = 'pending'`);
    await runner.query(`CREATE INDEX replies_claimed ON auto_reply.replies (worker_id) WHERE state = 'pending' AND worker_id IS NOT NULL`);
    await runner.query('DROP INDEX auto_reply.replies_open');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX replies_open ON auto_reply.replies (due_at) WHERE state = 'pending'`);
    await runner.query('DROP INDEX auto_reply.replies_waiting, auto_reply.replies_claimed');
    await runner.query('ALTER TABLE auto_reply.replies DROP COLUMN worker_id, DROP COLUMN begun');
  }
}
