import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { Tx } from './connections';

/** SQL, or work that needs more than SQL. */
type Step = string | ((tx: Tx) => Promise<void>);

/**
 * A migration. It cannot be reverted: migrations only add, so the previous version runs on the new schema as well.
 * @param name ends with a time in milliseconds, by which TypeORM orders migrations
 */
export function migration(name: string, ...steps: Step[]): new () => MigrationInterface {
  return class implements MigrationInterface {
    readonly name = name;

    async up(runner: QueryRunner): Promise<void> {
      const tx: Tx = { query: (text, values) => runner.query(text, values) };
      for (const step of steps) await (typeof step === 'string' ? tx.query(step) : step(tx));
    }

    down(): Promise<void> {
      return Promise.reject(new Error(`${name} cannot be reverted: migrations only add`));
    }
  };
}
