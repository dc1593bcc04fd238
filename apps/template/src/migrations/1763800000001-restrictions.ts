import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Restrictions1763800000001 implements MigrationInterface {
  readonly name = 'Restrictions1763800000001';

  async up(runner: QueryRunner): Promise<void> {
    // What the platform keeps the account from (platform §4.6); over when the time is past.
    await runner.query('ALTER TABLE template.connections ADD COLUMN restricted_from text[], ADD COLUMN restricted_until timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE template.connections DROP COLUMN restricted_from, DROP COLUMN restricted_until');
  }
}
