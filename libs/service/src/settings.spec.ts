import { config } from '@mgw/config';
import { Database } from '@mgw/postgres';
import { eventually, testDatabase } from '@mgw/testing';
import { databaseSettings } from './settings';

class DemoConfig extends config('demo', databaseSettings) {}

it('a process opens at most DATABASE_POOL connections, and the further ones that its description names', async () => {
  const doc = DemoConfig.describe().find(({ name }) => name === 'DATABASE_POOL')?.doc ?? '';
  const more = Number(/up to (\d+) more/.exec(doc)?.[1]);
  expect(more).toBeGreaterThan(0);
  const database = await testDatabase();
  const holder = await Database.open({ url: database.url, schema: 'public', poolSize: 2 });
  const db = await Database.open({ url: database.url, schema: 'public', poolSize: 3, applicationName: 'counted' });
  const waiting: Promise<unknown>[] = [];
  await holder.transaction(
    async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock(1)');
      const wait = 'SELECT pg_advisory_xact_lock_shared(1)';
      // Upkeep statements wait at most two seconds for a lock.
      for (let i = 0; i < 20; i++)
        waiting.push(
          db.query(wait),
          db.nonDurable.query(wait),
          db.upkeep.query(wait).catch(() => undefined),
        );
      await eventually(async () => {
        const connections = await holder.query<{ held: boolean }>(
          `SELECT wait_event_type = 'Lock' AS held FROM pg_stat_activity WHERE application_name = 'counted'`,
        );
        return connections.length === 3 + more && connections.every(({ held }) => held);
      });
    },
    { mayPause: true },
  );
  await Promise.all(waiting);
  await Promise.all([db.close(), holder.close()]);
  await database.drop();
});
