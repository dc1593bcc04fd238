import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Leads to what is over age. */
export class Retention1763900000002 implements MigrationInterface {
  readonly name = 'Retention1763900000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX broadcasts_finished ON broadcast.broadcasts (finished_at) WHERE finished_at IS NOT NULL');
    await runner.query('CREATE INDEX failures_at ON broadcast.failures (at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX broadcast.broadcasts_finished, broadcast.failures_at');
  }
}
