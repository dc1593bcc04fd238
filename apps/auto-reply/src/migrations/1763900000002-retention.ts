import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Leads to what is over age. */
export class Retention1763900000002 implements MigrationInterface {
  readonly name = 'Retention1763900000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX replies_ended ON auto_reply.replies (ended_at) WHERE ended_at IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX auto_reply.replies_ended');
  }
}
