import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The newest first, by an expression that no other index has: PostgreSQL would walk the primary key backwards and pass over the rows of
 * everybody else.
 */
export class Newest1764400000007 implements MigrationInterface {
  readonly name = 'Newest1764400000007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX broadcasts_newest ON broadcast.broadcasts (business_id, (-id))');
    await runner.query('DROP INDEX broadcast.broadcasts_of');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX broadcasts_of ON broadcast.broadcasts (business_id, id DESC)');
    await runner.query('DROP INDEX broadcast.broadcasts_newest');
  }
}
