import { eventTablesDown, eventTablesUp } from '@mgw/events';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Events1763700000004 implements MigrationInterface {
  readonly name = 'Events1763700000004';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of eventTablesUp('send')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of eventTablesDown('send')) await runner.query(statement);
  }
}
