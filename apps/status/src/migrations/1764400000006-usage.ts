import type { MigrationInterface, QueryRunner } from 'typeorm';

const COUNTS = ['sent', 'delivered', 'read', 'failed', 'refused'].join(', ');

/** SQL of what records add to the counts. @param records with a `sign`: 1 for those that are, -1 for those that were */
const counted = (records: string) => `
  SELECT business_id, date_bin('15 minutes', sent_at, timestamptz 'epoch') AS bucket, coalesce(type, 'unknown') AS kind,
         coalesce(sum(sign) FILTER (WHERE accepted), 0) AS sent,
         coalesce(sum(sign) FILTER (WHERE accepted AND status IN ('delivered', 'read')), 0) AS delivered,
         coalesce(sum(sign) FILTER (WHERE accepted AND status = 'read'), 0) AS read,
         coalesce(sum(sign) FILTER (WHERE accepted AND status = 'failed'), 0) AS failed,
         coalesce(sum(sign) FILTER (WHERE NOT accepted), 0) AS refused
  FROM (${records}) records WHERE sent_at IS NOT NULL GROUP BY 1, 2, 3`;

/**
 * Usage is summed from counts, not from messages: a year of a busy business has millions. Every statement that changes records adds the
 * changes of the counts in its transaction, in rows of its own, so that no two wait for each other; the service folds them later.
 */
export class Usage1764400000006 implements MigrationInterface {
  readonly name = 'Usage1764400000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE status.usage (
      business_id bigint NOT NULL,
      -- A quarter of an hour, from its start: days of every time zone consist of them.
      bucket timestamptz NOT NULL,
      kind text NOT NULL,
      sent bigint NOT NULL,
      delivered bigint NOT NULL,
      read bigint NOT NULL,
      failed bigint NOT NULL,
      refused bigint NOT NULL,
      -- At most one row of a bucket and kind is folded; the others are changes to it.
      folded boolean NOT NULL DEFAULT false
    )`);
    await runner.query(`INSERT INTO status.usage (business_id, bucket, kind, ${COUNTS}, folded)
      SELECT *, true FROM (${counted('SELECT *, 1 AS sign FROM status.records')}) counts`);
    await runner.query('CREATE INDEX usage_of ON status.usage (business_id, bucket, kind)');
    await runner.query('CREATE INDEX usage_changes ON status.usage (bucket) WHERE NOT folded');
    await runner.query('CREATE INDEX usage_age ON status.usage (bucket) WHERE folded');
    await runner.query(`CREATE FUNCTION status.count_usage() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'INSERT' THEN
          INSERT INTO status.usage (business_id, bucket, kind, ${COUNTS})
            SELECT * FROM (${counted('SELECT *, 1 AS sign FROM new_rows')}) counts;
        ELSE
          INSERT INTO status.usage (business_id, bucket, kind, ${COUNTS})
            SELECT * FROM (${counted('SELECT *, 1 AS sign FROM new_rows UNION ALL SELECT *, -1 FROM old_rows')}) counts
            WHERE (${COUNTS}) IS DISTINCT FROM (0, 0, 0, 0, 0);
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(`CREATE TRIGGER counts_new AFTER INSERT ON status.records
      REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION status.count_usage()`);
    await runner.query(`CREATE TRIGGER counts_changed AFTER UPDATE ON status.records
      REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION status.count_usage()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER counts_changed ON status.records');
    await runner.query('DROP TRIGGER counts_new ON status.records');
    await runner.query('DROP FUNCTION status.count_usage');
    await runner.query('DROP TABLE status.usage');
  }
}
