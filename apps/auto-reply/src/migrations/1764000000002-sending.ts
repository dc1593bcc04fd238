import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a kept reply may have been sent, so that only its Idempotency-Key tells what became of it. */
export class Sending1764000000002 implements MigrationInterface {
  readonly name = 'Sending1764000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE auto_reply.replies ADD COLUMN sending boolean NOT NULL DEFAULT false');
    // Until now a reply was kept right before it was sent.
    await runner.query(`UPDATE auto_reply.replies SET sending = true, reserved_at = now() WHERE state = 'pending' AND reply IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE auto_reply.replies DROP COLUMN sending');
  }
}
