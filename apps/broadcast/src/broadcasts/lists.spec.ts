import { rowsRead, startHarness, type Harness } from '@mgw/harness';
import type { Database } from '@mgw/postgres';
import { service } from '../main';
import { ReportsStore } from '../running/reports.store';
import { BroadcastsStore } from './broadcasts.store';

const BROADCASTS = 2_000;
const RECIPIENTS = 20_000;

describe('guarantees §10, N2: lists of a business with many broadcasts', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness(service);
    await harness.db.query(
      `INSERT INTO broadcast.broadcasts (id, business_id, name, template_name, language, plan, timezone, status, total)
       SELECT n, CASE WHEN n <= 10 THEN 3 ELSE 1 + n % 2 END, 'b', 'offer', 'en', 'Growth', 'UTC', 'completed', 1 FROM generate_series(1, ${BROADCASTS}) AS n`,
    );
    await harness.db.query(
      `INSERT INTO broadcast.recipients (broadcast_id, nth, phone, body_params, header_params, state, reason, attempted_at)
       SELECT b, n, '919876543210', '{}', '{}', CASE WHEN n % 10000 = 0 THEN 'failed' ELSE 'sent' END, CASE WHEN n % 10000 = 0 THEN 'no' END,
         now() - n * interval '1 hour'
       FROM generate_series(1, ${RECIPIENTS}) AS n CROSS JOIN (VALUES (1), (2)) AS broadcasts (b)`,
    );
    await harness.db.query('VACUUM ANALYZE');
  }, 120_000);
  afterAll(() => harness.close());

  it('a page of broadcasts reads only the rows that it shows, even for a business with a few old ones', async () => {
    for (const business of [1, 3]) {
      const rows = await rowsRead(harness.db, (db) => new BroadcastsStore(db).list(business, 20, null));
      expect(rows['broadcasts']).toBeLessThanOrEqual(22);
    }
  });

  it('a page of recipients reads few rows, and with a rare state at most those of its broadcast', async () => {
    const page = { business_id: 3, id: 1, limit: 20, cursor: null };
    const read = (state: 'failed' | null) => rowsRead(harness.db, (db) => new BroadcastsStore(db).recipients({ ...page, state }));
    expect((await read(null))['recipients']).toBeLessThanOrEqual(500);
    expect((await read('failed'))['recipients']).toBeLessThanOrEqual(RECIPIENTS);
    const { recipients } = await new BroadcastsStore(harness.db).recipients({ ...page, state: 'failed' });
    expect(recipients.map(({ nth, state, reason }) => [nth, state, reason])).toEqual([
      [10_000, 'failed', 'no'],
      [20_000, 'failed', 'no'],
    ]);
  });

  it('decision 450: a reply reads the messages of its day, and not all that the person ever got', async () => {
    const reply = { business_id: 3, phone: '919876543210', quoted: null, at: new Date().toISOString() };
    const rows = await rowsRead(harness.db, (db) => new ReportsStore().applyCustomerMessages(db, [reply]));
    expect(rows['recipients']).toBeLessThanOrEqual(100);
    const store = new BroadcastsStore(harness.db);
    const replied = await Promise.all([1, 2].map(async (id) => (await store.progress(3, id)).replied));
    expect(replied.toSorted()).toEqual([0, 1]);
  });

  it("counts failure reasons among the broadcast's own recipients", async () => {
    const rows = await rowsRead(harness.db, (db) => new BroadcastsStore(db).failures(3, 1));
    expect(rows['recipients']).toBeLessThanOrEqual(RECIPIENTS);
  });

  it('decision 380: the daily limit reads no untried people of cancelled broadcasts, and no connection that sends need', async () => {
    await harness.db.query(
      `WITH b AS (
         INSERT INTO broadcast.broadcasts (id, business_id, name, template_name, language, plan, timezone, status, total, sent, finished_at)
         SELECT ${BROADCASTS} + n, 4, 'b', 'offer', 'en', 'Growth', 'UTC', 'cancelled', 1000, 1, now() FROM generate_series(1, 5) AS n RETURNING id
       )
       INSERT INTO broadcast.recipients (broadcast_id, nth, phone, body_params, header_params, state, due_at)
       SELECT id, n, '919876543210', '{}', '{}', CASE n WHEN 1 THEN 'sent' WHEN 2 THEN 'unclear' ELSE 'pending' END, 'infinity'
       FROM b CROSS JOIN generate_series(1, 1000) AS n`,
    );
    const request = { business_id: 4, template_name: 'offer', language: 'en', scheduled_at: null, timezone: 'UTC', daily_limit: 100 };
    const rows = await rowsRead(harness.db, (db) => new BroadcastsStore(db).dailyUse(request));
    expect(rows['recipients']).toBeLessThanOrEqual(5);
    expect(rows['broadcasts']).toBeLessThanOrEqual(5);
    expect(await new BroadcastsStore({ reads: () => harness.db } as unknown as Database).dailyUse(request)).toMatchObject({ used: 10 });
  });
});
