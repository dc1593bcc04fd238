import { consumerLeasesDown, consumerLeasesUp } from '@mgw/events';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ConsumerLeases1764100000001 implements MigrationInterface {
  readonly name = 'ConsumerLeases1764100000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of consumerLeasesUp('send')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of consumerLeasesDown('send')) await runner.query(statement);
  }
}
