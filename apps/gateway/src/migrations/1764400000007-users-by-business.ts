import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An email address may have a user at each business: a refusal would tell an owner which addresses other businesses have. Failed logins
 * are audited, and found by their age to be deleted.
 */
export class UsersByBusiness1764400000007 implements MigrationInterface {
  readonly name = 'UsersByBusiness1764400000007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE UNIQUE INDEX users_email_of_business ON access.users (email, coalesce(business_id, 0))');
    await runner.query('ALTER TABLE access.users DROP CONSTRAINT users_email_key');
    await runner.query(`CREATE INDEX audit_failed_logins ON access.audit (at) WHERE action = 'session.refused'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX access.audit_failed_logins');
    await runner.query('ALTER TABLE access.users ADD CONSTRAINT users_email_key UNIQUE (email)');
    await runner.query('DROP INDEX access.users_email_of_business');
  }
}
