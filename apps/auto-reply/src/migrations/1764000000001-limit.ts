import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a question took its place under the daily limit of its business; null: it holds none. */
export class Limit1764000000001 implements MigrationInterface {
  readonly name = 'Limit1764000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE auto_reply.replies ADD COLUMN reserved_at timestamptz');
    await runner.query(
      `UPDATE auto_reply.replies SET reserved_at = ended_at WHERE state = 'replied' AND ended_at > now() - interval '24 hours'`,
    );
    await runner.query('CREATE INDEX replies_reserved ON auto_reply.replies (business_id, reserved_at) WHERE reserved_at IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE auto_reply.replies DROP COLUMN reserved_at');
  }
}
