import { Database, runMigrations } from '@mgw/postgres';
import { testDatabase } from '@mgw/testing';
import { service } from './main';

describe('times from a platform clock that was ahead', () => {
  it('are clamped if an earlier version stored them', async () => {
    const { url, drop } = await testDatabase();
    const { schema, sources } = service;
    const migrations = service.migrations as (new () => { name: string })[];
    const clamped = migrations.findIndex((one) => new one().name.startsWith('PlatformTimes'));
    await runMigrations({ url, schema, sources, migrations: migrations.slice(0, clamped) as [] });
    const db = await Database.open({ url, schema });
    await db.query(`INSERT INTO send.suppressions (business_id, conversation_id, source, state, at)
      VALUES (1, 1, 'person', 'opted_out', now() + interval '1 day'), (1, 2, 'person', 'opted_out', now() - interval '1 day')`);
    await db.query(`INSERT INTO send.erased_opt_outs VALUES (1, 'hash', 'person', 'opted_out', now() + interval '1 day')`);
    await db.query(
      `INSERT INTO send.message_changes (business_id, message_id, text, edited_at) VALUES (1, 'wamid.1', 'Two', now() + interval '1 day')`,
    );
    await runMigrations({ url, schema, sources, migrations: service.migrations as [] });
    const age = (column: string) => `round(extract(epoch FROM now() - ${column}) / 3600)::integer`;
    expect(
      await db.query(`SELECT ${age('at')} AS hours FROM send.suppressions UNION ALL SELECT ${age('at')} FROM send.erased_opt_outs
        UNION ALL SELECT ${age('edited_at')} FROM send.message_changes ORDER BY hours`),
    ).toEqual([0, 0, 0, 24].map((hours) => ({ hours })));
    await db.close();
    await drop();
  });
});
