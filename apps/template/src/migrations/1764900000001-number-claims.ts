import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Several businesses may claim a number; the time of verification decides between those with one app secret (decision 255). */
export class NumberClaims1764900000001 implements MigrationInterface {
  readonly name = 'NumberClaims1764900000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE template.connections
      DROP CONSTRAINT connections_phone_number_id_key,
      ADD COLUMN number_verified_at timestamptz`);
    await runner.query(`UPDATE template.connections SET number_verified_at = checked_at WHERE status = 'connected'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE template.connections
      DROP COLUMN number_verified_at,
      ADD CONSTRAINT connections_phone_number_id_key UNIQUE (phone_number_id)`);
  }
}
