import {
  GetMessageStatuses,
  GetTimeline,
  GetUsage,
  ListMessages,
  type EventEnvelope,
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { acceptedEvent, startHarness, statusEvent, type Harness } from '@mgw/harness';
import { Database } from '@mgw/postgres';
import { eventually } from '@mgw/testing';
import { service } from './main';
import { RecordsStore } from './records/records.store';

const accepted = (id: string, at: string, business_id = 1): EventEnvelope => ({ ...acceptedEvent(id, business_id), at });
const status = (id: string, word: string, occurred_at: string): EventEnvelope => statusEvent(id, word, { occurred_at });
/** A time in the middle of the month `n` months ago; the first of the current month for 0. */
function monthsBack(n: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - n, n === 0 ? 1 : 15)).toISOString();
}
const partitionOf = (table: string, at: string) => `status.${table}_${at.slice(0, 7).replace('-', '_')}`;

describe('guarantees §3: records and history by month', () => {
  let harness: Harness;
  let store: RecordsStore;
  afterEach(() => harness.close());

  const apply = (events: EventEnvelope[]) =>
    harness.db.transaction((tx) => (events[0]?.type === 'status' ? store.advance(tx, events as never) : store.accept(tx, events as never)));
  const count = async (table: string) => Number((await harness.db.query<{ n: string }>(`SELECT count(*) AS n FROM status.${table}`))[0]?.n);
  const partitions = async (table: string) =>
    (
      await harness.db.query<{ name: string }>(
        `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'status.${table}'::regclass`,
      )
    ).map(({ name }) => name);
  const rows = (table: string, columns = '*') =>
    harness.db.query(`SELECT ${columns} FROM status.${table} ORDER BY business_id, message_id`);

  beforeEach(async () => {
    harness = await startHarness(service);
    store = new RecordsStore(harness.db);
  });

  it('keeps one record for each of 3,000 messages that are accepted in one month and reported in the next, concurrently', async () => {
    const [last, first] = ['2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z'];
    const ids = Array.from({ length: 3_000 }, (_, i) => `wamid.${i}`);
    const other = await Database.open({ url: harness.env['DATABASE_URL'] as string, schema: 'status' });
    harness.onClose(() => other.close());
    const batches = (make: (id: string) => EventEnvelope) =>
      Array.from({ length: 30 }, (_, i) => ids.slice(i * 100, i * 100 + 100).map(make));
    const work = [
      batches((id) => accepted(id, last)),
      batches((id) => status(id, 'sent', first)),
      batches((id) => status(id, 'delivered', first)),
      batches((id) => status(id, 'read', first)),
    ];
    // Runs a batch of each kind concurrently, from two replicas, and rotates the order.
    for (let i = 0; i < 30; i++) {
      const kinds = work.map((kind, nth) => ({ events: kind[i] as EventEnvelope[], db: nth % 2 ? other : harness.db }));
      await Promise.all(
        [...kinds.slice(i % 4), ...kinds.slice(0, i % 4)].map(({ events, db }) =>
          db.transaction((tx) => (events[0]?.type === 'status' ? store.advance(tx, events as never) : store.accept(tx, events as never))),
        ),
      );
    }
    expect(await count('records')).toBe(3_000);
    const wrong = await rows(`records WHERE status <> 'read' OR sent_at IS DISTINCT FROM '${last}' OR text <> 'Hi'`);
    expect(wrong).toEqual([]);
    expect(await count('history')).toBe(9_000);
  });

  it('keeps the record in the first month of a message and its history in every month', async () => {
    await harness.run(service);
    await harness.publish(
      status('wamid.long', 'read', '2026-03-02T00:00:00.000Z'),
      status('wamid.long', 'delivered', '2026-02-10T00:00:00.000Z'),
      status('wamid.long', 'sent', '2026-01-31T23:59:59.000Z'),
      accepted('wamid.long', '2026-01-31T23:59:58.000Z'),
    );
    const timeline = () => harness.rpc.call(GetTimeline, { business_id: 1, message_id: 'wamid.long' });
    const story = await eventually(async () => {
      const reply = await timeline();
      return reply.timeline.length === 4 && reply.message?.delivery_status === 'read' && reply;
    });
    expect(story.timeline.map((step) => step.status)).toEqual(['accepted', 'sent', 'delivered', 'read']);
    expect(story.message).toMatchObject({ language: 'en', request_id: 'r1', conversation_id: 1 });
    expect(story.message).toMatchObject({ delivery_status: 'read', sent_at: '2026-01-31T23:59:58.000Z' });
    const { statuses } = await harness.rpc.call(GetMessageStatuses, { business_id: 1, message_ids: ['wamid.long'] });
    expect(statuses).toMatchObject([{ delivery_status: 'read' }]);
    expect(await count('records')).toBe(1);
  });

  it('reads the log in pages and the usage by day, over all months', async () => {
    await harness.run(service);
    const times = [5, 4, 3, 2, 1, 0].flatMap((n) => [monthsBack(n), monthsBack(n).replace('T00:00', 'T06:30')]);
    await harness.publish(...times.map((at, i) => accepted(`wamid.${i}`, at)), accepted('wamid.theirs', monthsBack(1), 2));
    await harness.publish(status('wamid.0', 'delivered', monthsBack(0)), status('wamid.7', 'delivered', monthsBack(0)));
    await eventually(async () => (await count(`records WHERE status = 'delivered' AND sent_at IS NOT NULL`)) === 2);
    await eventually(async () => (await count('records WHERE sent_at IS NOT NULL')) === 13);
    const read = async (change: { status?: 'delivered' } = {}) => {
      const pages: string[][] = [];
      for (let cursor: string | null = null, i = 0; i < 10; i++) {
        const request: RequestOf<typeof ListMessages> = {
          business_id: 1,
          limit: 5,
          cursor,
          status: null,
          phone: null,
          search: null,
          ...change,
        };
        const { messages, next_cursor }: ResponseOf<typeof ListMessages> = await harness.rpc.call(ListMessages, request);
        pages.push(messages.map(({ message_id }) => message_id));
        if (next_cursor === null) break;
        cursor = next_cursor;
      }
      return pages;
    };
    const newest = times.map((_, i) => `wamid.${i}`).reverse();
    expect(await read()).toEqual([newest.slice(0, 5), newest.slice(5, 10), newest.slice(10)]);
    expect(await read({ status: 'delivered' })).toEqual([['wamid.7', 'wamid.0']]);
    const range = { business_id: 1, from: (times[0] as string).slice(0, 10), to: (times[9] as string).slice(0, 10), timezone: 'UTC' };
    const { usage } = await harness.rpc.call(GetUsage, range);
    expect(usage.map(({ day, sent, delivered }) => [day, sent, delivered])).toEqual(
      [5, 4, 3, 2, 1].map((n) => [monthsBack(n).slice(0, 10), 2, n === 5 || n === 2 ? 1 : 0]),
    );
  });

  it('keeps the oldest month from its first day, in any time zone of the database', async () => {
    await harness.db.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone TO %L', current_database(), 'Asia/Kolkata'); END $$`,
    );
    const kept = new Date(Date.now() - 90 * 86_400_000).toISOString().replace(/\d\dT.*/, '01T00:00:00.000Z');
    await apply([accepted('wamid.kept', kept), accepted('wamid.old', '2015-01-01T00:00:00.000Z')]);
    await harness.run(service, { RETENTION_MESSAGES_DAYS: '90' });
    await eventually(async () => (await count(`record_keys WHERE message_id = 'wamid.old'`)) === 0);
    const { statuses } = await harness.rpc.call(GetMessageStatuses, { business_id: 1, message_ids: ['wamid.kept'] });
    expect(statuses).toMatchObject([{ sent_at: kept }]);
  });

  it('hides the failure of one month when the send turns out to be accepted in the next', async () => {
    const failure = {
      business_id: 1,
      at: '2026-01-31T23:59:59.000Z',
      data: {
        intent_id: 'i',
        to: '919876543210',
        reason: 'r',
        type: 'text',
        template: null,
        text: 'Hi',
        sent_by: 'api',
        api_key_id: 1,
      },
    };
    const repaired = accepted('wamid.late', '2026-02-01T00:00:01.000Z');
    await Promise.all([
      harness.db.transaction((tx) => store.fail(tx, [failure] as never)),
      apply([{ ...repaired, facts: { intent_id: 'i', api_key_id: 1, template: null, repaired: true } }]),
    ]);
    expect(await rows('records WHERE sent_at IS NOT NULL', 'message_id, status')).toEqual([{ message_id: 'wamid.late', status: 'sent' }]);
    expect(await count('records')).toBe(2);
  });

  it('two replicas drop expired months with their keys, and keep younger ones', async () => {
    const young = [monthsBack(1), monthsBack(0)];
    const old = [monthsBack(20), monthsBack(15)];
    for (const at of [...old, monthsBack(1)]) {
      const [from, to] = [0, 1].map((n) => new Date(Date.UTC(Number(at.slice(0, 4)), Number(at.slice(5, 7)) - 1 + n)).toISOString());
      for (const table of ['records', 'history'])
        await harness.db.query(
          `CREATE TABLE ${partitionOf(table, at)} PARTITION OF status.${table} FOR VALUES FROM ('${from}') TO ('${to}')`,
        );
    }
    for (const at of [...old, ...young]) {
      await apply([accepted(`wamid.${at}`, at)]);
      await apply([status(`wamid.${at}`, 'sent', at)]);
    }
    expect([await count('records_rest'), await count('history_rest')]).toEqual([0, 0]);
    await apply([accepted('wamid.rest', '2015-01-01T00:00:00.000Z')]);
    await apply([status('wamid.rest', 'sent', '2015-01-01T00:00:00.000Z')]);
    expect([await count('records_rest'), await count('history_rest')]).toEqual([1, 1]);
    await Promise.all([harness.run(service), harness.run(service)]);
    await eventually(async () => (await count('records')) === 2 && (await count('history')) === 2 && (await count('record_keys')) === 2);
    const there = [...(await partitions('records')), ...(await partitions('history'))];
    for (const at of old) expect(there).not.toContain(partitionOf('records', at));
    for (const at of old) expect(there).not.toContain(partitionOf('history', at));
    for (const at of young) expect(there).toEqual(expect.arrayContaining([partitionOf('records', at), partitionOf('history', at)]));
    const message_ids = ((await rows('records', 'message_id')) as { message_id: string }[]).map(({ message_id }) => message_id);
    expect(message_ids).toEqual(young.map((at) => `wamid.${at}`).sort());
    const shown = await store.find(1, [`wamid.${old[0]}`, `wamid.${young[0]}`]);
    expect(shown).toMatchObject([{ message_id: `wamid.${young[0]}`, delivery_status: 'sent' }]);
  });
});
