import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Otp1763700000005 implements MigrationInterface {
  readonly name = 'Otp1763700000005';

  async up(runner: QueryRunner): Promise<void> {
    // Of a code that we made, so that a replay returns the same one (product decision 24); gone with the key after a day.
    await runner.query('ALTER TABLE send.idempotency_keys ADD COLUMN otp_sealed text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE send.idempotency_keys DROP COLUMN otp_sealed');
  }
}
