import { migratedDatabase } from '@mgw/harness';
import { Database } from '@mgw/postgres';
import { createLogger } from '@mgw/telemetry';
import { eventually, type TestDatabase } from '@mgw/testing';
import { service } from '../main';
import type { SendConfig } from '../send.config';
import { IntentSweeper } from './intent-sweeper.service';
import { IntentStore, MAX_MARKED } from './intent.store';

describe('guarantees §10, N2: a business with thousands of sends without an outcome', () => {
  let database: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    database = await migratedDatabase(service);
    db = await Database.open({ url: database.url, schema: 'send' });
  });
  beforeEach(() => db.query('DELETE FROM send.intents'));
  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  const add = (state: string, count: number) =>
    db.query(
      `INSERT INTO send.intents (id, business_id, state, recipient, type, sent_by, text, created_at)
       SELECT gen_random_uuid(), 1, $1, '919876543210', 'text', 'api', 'Hi', now() - interval '25 hours' FROM generate_series(1, $2::integer)`,
      [state, count],
    );
  const counts = async () => {
    const rows = await db.query<{ state: string; n: number }>('SELECT state, count(*)::integer AS n FROM send.intents GROUP BY state');
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  };

  it('locks a bounded number of them with each statement, and waits for no lock', async () => {
    const intents = new IntentStore(db);
    await add('unknown', MAX_MARKED + 2);
    await db.transaction(async (tx) => {
      await tx.query('SELECT FROM send.intents LIMIT 1 FOR UPDATE');
      expect([await intents.markUnconfirmed(), await intents.markUnconfirmed()]).toEqual([MAX_MARKED, 1]);
    });
    expect(await intents.markUnconfirmed()).toBe(1);
  });

  it.each([
    ['calling', { unconfirmed: MAX_MARKED + 1 }],
    ['unknown', { unconfirmed: MAX_MARKED + 1 }],
  ])('whose state was %s: the sweeper marks all without a pause', async (state, marked) => {
    await add(state, MAX_MARKED + 1);
    const config = { staleAfterSeconds: 3_600 } as SendConfig;
    const sweeper = new IntentSweeper(new IntentStore(db), config, createLogger('send', 'silent'));
    sweeper.onApplicationBootstrap();
    await eventually(async () => JSON.stringify(await counts()) === JSON.stringify(marked));
    await sweeper.onApplicationShutdown();
  });
});
