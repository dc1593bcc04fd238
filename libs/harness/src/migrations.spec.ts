import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Database, runMigrations } from '@mgw/postgres';
import type { RunSettings, Service } from '@mgw/service';
import { testDatabase } from '@mgw/testing';

const APPS = join(__dirname, '../../../apps');
const withSchema = readdirSync(APPS).filter((app) => existsSync(join(APPS, app, 'src/migrations')));

/** Everything that running processes rely on: columns, each with whether a row may omit it, and functions. */
const RELIED_ON = `
  SELECT table_name AS owner, table_name || '.' || column_name AS name,
         is_nullable = 'YES' OR column_default IS NOT NULL OR is_identity = 'YES' AS optional
  FROM information_schema.columns WHERE table_schema = $1
  UNION ALL
  SELECT '', p.oid::regprocedure::text, true FROM pg_proc p WHERE p.pronamespace = $1::regnamespace`;

/** Guarantees §8: while an update rolls, the previous version runs on the new schema. */
describe('migrations only add (docs/operations.md, upgrades)', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  beforeAll(async () => (database = await testDatabase()));
  afterAll(() => database.drop());

  it.each(withSchema)('%s: drops nothing, and requires no new column', async (app) => {
    const { service } = (await import(join(APPS, app, 'src/main'))) as { service: Service<RunSettings> };
    const { schema, sources } = service;
    const migrations = service.migrations as unknown[];
    const db = await Database.open({ url: database.url, schema });
    const faults: string[] = [];
    let before: { owner: string; name: string; optional: boolean }[] = [];
    for (let count = 1; count <= migrations.length; count++) {
      await runMigrations({ url: database.url, schema, sources, migrations: migrations.slice(0, count) as [] });
      const after = await db.query<(typeof before)[number]>(RELIED_ON, [schema]);
      const dropped = before.filter(({ name }) => !after.some((now) => now.name === name));
      const required = after.filter(
        ({ owner, name, optional }) =>
          !optional && before.some((then) => then.owner === owner) && !before.some((then) => then.name === name && !then.optional),
      );
      faults.push(...[...dropped, ...required].map(({ name }) => `migration ${count}: ${name}`));
      before = after;
    }
    await db.close();
    expect(faults).toEqual([]);
  });
});
