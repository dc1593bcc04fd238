import { Database, runMigrations } from '@mgw/postgres';
import { testDatabase } from '@mgw/testing';
import { service } from '../main';

describe('decision 730: messages that the search for a person still reads', () => {
  it.each([
    ['has kept former names for a week', `'91', now() - interval '7 days'`, -7 * 24],
    ['has kept none', null, 1],
  ])('end when the first former name was kept, in an installation that %s', async (_, kept, hours) => {
    const { url, drop } = await testDatabase();
    const { schema, sources } = service;
    const migrations = service.migrations as (new () => { name: string })[];
    const since = migrations.findIndex((one) => new one().name.startsWith('FormerAliasesSince'));
    await runMigrations({ url, schema, sources, migrations: migrations.slice(0, since) as [] });
    const db = await Database.open({ url, schema });
    if (kept !== null)
      await db.query(
        `INSERT INTO send.former_aliases (business_id, conversation_id, alias, until) VALUES (1, 1, ${kept}), (1, 1, '92', now())`,
      );
    await runMigrations({ url, schema, sources, migrations: service.migrations as [] });
    expect(await db.query(`SELECT round(extract(epoch FROM at - now()) / 3600)::integer AS hours FROM send.former_aliases_since`)).toEqual([
      { hours },
    ]);
    await db.close();
    await drop();
  });
});
