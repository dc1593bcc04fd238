import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A broadcast whose creation is asked for twice with one Idempotency-Key is made once. */
export class CreationKeys1764300000001 implements MigrationInterface {
  readonly name = 'CreationKeys1764300000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE broadcast.broadcasts ADD COLUMN creation_key text, ADD COLUMN creation_fingerprint text');
    await runner.query(`CREATE UNIQUE INDEX broadcasts_creation_key ON broadcast.broadcasts (business_id, creation_key)
      WHERE creation_key IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX broadcast.broadcasts_creation_key');
    await runner.query('ALTER TABLE broadcast.broadcasts DROP COLUMN creation_key, DROP COLUMN creation_fingerprint');
  }
}
