import { workersDown, workersUp } from '@mgw/events';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Workers1764400000001 implements MigrationInterface {
  readonly name = 'Workers1764400000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of workersUp('status')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of workersDown('status')) await runner.query(statement);
  }
}
