import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Each restriction has an end of its own, or none. */
export class RestrictionEnds1764100000001 implements MigrationInterface {
  readonly name = 'RestrictionEnds1764100000001';

  async up(runner: QueryRunner): Promise<void> {
    // The platform's word for what it keeps the account from, and when that ends: null for never.
    await runner.query(`ALTER TABLE template.connections ADD COLUMN restrictions jsonb NOT NULL DEFAULT '{}'`);
    await runner.query(`UPDATE template.connections SET restrictions =
      (SELECT jsonb_object_agg(kind, to_char(restricted_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) FROM unnest(restricted_from) AS kind)
      WHERE cardinality(restricted_from) > 0`);
    await runner.query('ALTER TABLE template.connections DROP COLUMN restricted_from, DROP COLUMN restricted_until');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE template.connections ADD COLUMN restricted_from text[], ADD COLUMN restricted_until timestamptz');
    await runner.query(`UPDATE template.connections SET
      restricted_from = ARRAY(SELECT jsonb_object_keys(restrictions)),
      restricted_until = (SELECT CASE WHEN bool_and(until IS NOT NULL) THEN max(until::timestamptz) END FROM jsonb_each_text(restrictions) AS r (kind, until))
      WHERE restrictions <> '{}'`);
    await runner.query('ALTER TABLE template.connections DROP COLUMN restrictions');
  }
}
