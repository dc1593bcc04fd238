import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { Tx } from './connections';

type Migration = new () => MigrationInterface;
/** SQL, or work that needs more than SQL. */
type Step = string | ((tx: Tx) => Promise<void>);

/**
 * A migration. It cannot be reverted: migrations only add, so the previous version runs on the new schema as well.
 * @param name ends with a time in milliseconds, by which TypeORM orders migrations
 */
export function migration(name: string, ...steps: Step[]): Migration {
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

/** The migrations of a service in the order of their times. Each file `migrations/<milliseconds>-<name>` of its sources exports one. */
export function migrationsIn(sources: string): Migration[] {
  const load = createRequire(__filename) as (path: string) => Record<string, Migration>;
  return readdirSync(join(sources, 'migrations'))
    .filter((file) => /^\d+-[a-z\d-]+\.[jt]s$/.test(file))
    .sort()
    .flatMap((file) => Object.values(load(join(sources, 'migrations', file))));
}
