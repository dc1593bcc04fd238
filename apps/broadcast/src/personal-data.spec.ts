import { eraseFrom, exportedRows, FORMER_OWNER, OWNER, PASSED, startHarness, type Harness } from '@mgw/harness';
import { service } from './main';

describe('decisions 704 and 730: a number that passed to another person', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness(service);
    await harness.run(service);
    await harness.db
      .query(`INSERT INTO broadcast.broadcasts (id, business_id, name, template_name, language, plan, timezone, status, total, sent, failed)
      VALUES (1, 1, 'News', 't', 'en', 'Growth', 'UTC', 'paused', 4, 2, 1)`);
    await harness.db.query(
      `INSERT INTO broadcast.recipients (broadcast_id, nth, phone, body_params, header_params, state, attempted_at, message_id)
       SELECT 1, nth, $1, ARRAY[param], '{}', state, at, CASE state WHEN 'sent' THEN param END FROM (VALUES
         (1, 'first', 'sent', $2::timestamptz - interval '1 day'), (2, 'failed', 'failed', $2::timestamptz - interval '1 day'),
         (3, 'second', 'sent', $2::timestamptz + interval '1 day'), (4, 'next', 'pending', $2::timestamptz - interval '1 day')) AS r (nth, param, state, at)`,
      [PASSED.number, PASSED.at],
    );
    await harness.db.query(
      `INSERT INTO broadcast.reports (business_id, message_id, reason) VALUES (1, 'first', NULL), (1, 'second', NULL)`,
    );
  });
  afterAll(() => harness.close());

  const exported = async (person: typeof OWNER) =>
    (await exportedRows(harness.rpc, 'broadcast', person)).flatMap(({ body_params }) => body_params as string[]);
  const left = async (sql: string) => (await harness.db.query<{ value: string }>(`${sql} ORDER BY 1`)).map(({ value }) => value);

  it('an export and an erasure have the messages that were sent while the person had it; the next one goes to its owner', async () => {
    expect((await exported(FORMER_OWNER)).sort()).toEqual(['failed', 'first']);
    expect((await exported(OWNER)).sort()).toEqual(['next', 'second']);
    await eraseFrom(harness.rpc, 'broadcast', FORMER_OWNER);
    expect(await left('SELECT body_params[1] AS value FROM broadcast.recipients WHERE phone <> $$erased$$')).toEqual(['next', 'second']);
    expect(await left('SELECT message_id AS value FROM broadcast.reports')).toEqual(['second']);
    await eraseFrom(harness.rpc, 'broadcast', OWNER);
    expect(await left(`SELECT state AS value FROM broadcast.recipients WHERE phone = 'erased' AND body_params = '{}'`)).toEqual([
      'failed',
      'failed',
      'sent',
      'sent',
    ]);
  });

  it('decision 730: an erasure leaves the recipients of a broadcast that was created later, although its names are the same', async () => {
    await harness.db
      .query(`INSERT INTO broadcast.broadcasts (id, business_id, name, template_name, language, plan, timezone, status, total, created_at)
      SELECT id, 1, 'Offer', 't', 'en', 'Growth', 'UTC', 'scheduled', 2, created_at FROM (VALUES (2, now() - interval '3 hours'), (3, now())) AS b (id, created_at)`);
    await harness.db.query(
      `INSERT INTO broadcast.recipients (broadcast_id, nth, phone, body_params, header_params, state, attempted_at, message_id)
       SELECT b.id, nth, $1, ARRAY[b.name || b.id], '{}', state, b.created_at, CASE state WHEN 'sent' THEN 'offer' || b.id END
       FROM broadcast.broadcasts b CROSS JOIN (VALUES (1, 'pending'), (2, 'sent')) AS r (nth, state) WHERE b.id IN (2, 3)`,
      [PASSED.number],
    );
    const requested_at = new Date(Date.now() - 2 * 3_600_000).toISOString();
    await eraseFrom(harness.rpc, 'broadcast', { ...OWNER, requested_at });
    expect(await left(`SELECT state AS value FROM broadcast.recipients WHERE broadcast_id = 2 AND phone = 'erased'`)).toEqual([
      'failed',
      'sent',
    ]);
    expect(await left(`SELECT state AS value FROM broadcast.recipients WHERE broadcast_id = 3 AND phone = '${PASSED.number}'`)).toEqual([
      'pending',
      'sent',
    ]);
  });

  it('guarantees §10, N2: an erasure holds the lock of reports for 500 recipients at a time, and leaves attempts without an outcome', async () => {
    const RECIPIENTS = 1_201;
    await harness.db.query(
      `INSERT INTO broadcast.broadcasts (id, business_id, name, template_name, language, plan, timezone, status, total)
       VALUES (4, 1, 'Many', 't', 'en', 'Growth', 'UTC', 'completed', $1::integer)`,
      [RECIPIENTS],
    );
    await harness.db.query(
      `INSERT INTO broadcast.recipients (broadcast_id, nth, phone, body_params, header_params, state, attempted_at, message_id)
       SELECT 4, n, $1, '{}', '{}', CASE n WHEN 1 THEN 'unclear' ELSE 'sent' END, now(), CASE WHEN n > 1 THEN 'many' || n END
       FROM generate_series(1, $2::integer) AS n`,
      [PASSED.number, RECIPIENTS],
    );
    await harness.db.query(
      `INSERT INTO broadcast.reports (business_id, message_id) SELECT 1, 'many' || n FROM generate_series(2, 601) AS n`,
    );
    expect(await eraseFrom(harness.rpc, 'broadcast', OWNER)).toBe(500);
    const [left] = await harness.db.query(
      `SELECT count(*)::integer AS recipients, min(state) AS state, (SELECT count(*)::integer FROM broadcast.reports WHERE message_id LIKE 'many%') AS reports
       FROM broadcast.recipients WHERE broadcast_id = 4 AND phone <> 'erased'`,
    );
    expect(left).toEqual({ recipients: 1, state: 'unclear', reports: 0 });
  });
});
