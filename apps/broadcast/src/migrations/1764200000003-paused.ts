import type { MigrationInterface, QueryRunner } from 'typeorm';

const states = (...names: string[]) => `ALTER TABLE broadcast.broadcasts DROP CONSTRAINT broadcasts_status_check,
  ADD CONSTRAINT broadcasts_status_check CHECK (status IN (${names.map((name) => `'${name}'`).join()}))`;

/** Broadcasts can be paused and resumed. */
export class Paused1764200000003 implements MigrationInterface {
  readonly name = 'Paused1764200000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(states('scheduled', 'running', 'paused', 'completed', 'cancelled'));
    // Whose messages may be on the way without being known yet.
    await runner.query(`CREATE INDEX broadcasts_begun ON broadcast.broadcasts (business_id)
      WHERE started_at IS NOT NULL AND finished_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX broadcast.broadcasts_begun');
    // Not to be sent without anybody's wish.
    await runner.query(`UPDATE broadcast.broadcasts SET status = 'cancelled', finished_at = now() WHERE status = 'paused'`);
    await runner.query(states('scheduled', 'running', 'completed', 'cancelled'));
  }
}
