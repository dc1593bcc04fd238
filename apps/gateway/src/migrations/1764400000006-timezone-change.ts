import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A changed time zone holds from the old zone's next midnight (product decision 53): until then the old one is kept beside it. */
export class TimezoneChange1764400000006 implements MigrationInterface {
  readonly name = 'TimezoneChange1764400000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE access.businesses
      ADD COLUMN previous_timezone text,
      ADD COLUMN timezone_from timestamptz,
      ADD COLUMN cap_resets_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE access.businesses DROP COLUMN previous_timezone, DROP COLUMN timezone_from, DROP COLUMN cap_resets_at');
  }
}
