import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import { Database, runMigrations } from '@mgw/postgres';
import { testDatabase } from '@mgw/testing';

/** Those that 0.1.0 cannot run beside, as docs/operations.md says. No other joins them. */
const KNOWN = /^(Admission|Months|RestrictionEnds)\d+$/;
const APPS = join(__dirname, '../../../apps');
const withSchema = readdirSync(APPS).filter((app) => existsSync(join(APPS, app, 'src/migrate.ts')));
const schemaOf = (app: string) => /schema: '(\w+)'/.exec(readFileSync(join(APPS, app, 'src/migrate.ts'), 'utf8'))?.[1] ?? '';

/** What processes of before rely on: columns, each with whether a row may leave it out, and functions. */
const RELIED_ON = `
  SELECT table_name AS owner, table_name || '.' || column_name AS name,
         is_nullable = 'YES' OR column_default IS NOT NULL OR is_identity = 'YES' AS optional
  FROM information_schema.columns WHERE table_schema = $1
  UNION ALL
  SELECT '', p.oid::regprocedure::text, true FROM pg_proc p WHERE p.pronamespace = $1::regnamespace`;

/** Guarantees §8: while an update rolls, the version before runs beside the new schema. */
describe('migrations only add (docs/operations.md, upgrades)', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  beforeAll(async () => (database = await testDatabase()));
  afterAll(() => database.drop());

  it.each(withSchema)('%s: nothing that was there goes, and nothing new has to be written', async (app) => {
    const schema = schemaOf(app);
    const { migrations } = (await import(join(APPS, app, 'src/migrations/migrations'))) as { migrations: Type[] };
    const db = await Database.open({ url: database.url, schema });
    const faults: string[] = [];
    let before: { owner: string; name: string; optional: boolean }[] = [];
    for (const [nth, { name: migration }] of migrations.entries()) {
      await runMigrations({ url: database.url, schema, migrations: migrations.slice(0, nth + 1) });
      const after = await db.query<(typeof before)[number]>(RELIED_ON, [schema]);
      const gone = before.filter(({ name }) => !after.some((now) => now.name === name));
      const asked = after.filter(
        ({ owner, name, optional }) =>
          !optional && before.some((then) => then.owner === owner) && !before.some((then) => then.name === name && !then.optional),
      );
      if (!KNOWN.test(migration)) faults.push(...[...gone, ...asked].map(({ name }) => `${migration}: ${name}`));
      before = after;
    }
    await db.close();
    expect(faults).toEqual([]);
  });
});
