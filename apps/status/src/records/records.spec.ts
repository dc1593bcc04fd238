import { GetMessageStatus, type EventEnvelope } from '@mgw/contracts';
import { acceptedEvent, startHarness, statusEvent, type Harness } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { service } from '../main';
import { RecordsStore } from './records.store';

const RANK: Record<string, number> = { accepted: 1, sent: 1, delivered: 2, failed: 3, read: 4, played: 4 };

function permutations<T>(items: T[]): T[][] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, i) => permutations([...items.slice(0, i), ...items.slice(i + 1)]).map((rest) => [item, ...rest]));
}

describe('guarantees §4, §8: a consumer that dies', () => {
  it.each(['consumer.before-commit', 'consumer.after-commit'])('at %s loses no event and applies each once', async (point) => {
    const harness = await startHarness(service);
    const child = await harness.spawn('status', { CRASH_AT: point });
    await harness.publish(acceptedEvent('wamid.1'));
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    const rows = async (table: string) => (await harness.db.query(`SELECT FROM status.${table}`)).length;
    const committed = point === 'consumer.after-commit' ? 1 : 0;
    expect(await rows('records')).toBe(committed);
    await harness.run(service);
    const pending = async () =>
      (await (await harness.nc.jetstreamManager()).consumers.info('PUBLIC', 'status-acceptances')).num_ack_pending;
    // JetStream redelivers an event that stays unacknowledged for 30 s.
    await eventually(async () => (await pending()) === 0, { timeoutMs: 45_000 });
    expect(await rows('records')).toBe(1);
    await harness.close();
  });
});

describe('spec §3.1, guarantees §3: delivery status', () => {
  let harness: Harness;
  let store: RecordsStore;
  let made = 0;
  beforeAll(async () => {
    harness = await startHarness(service);
    store = new RecordsStore(harness.db);
  });
  afterAll(() => harness.close());

  const eventFor = (id: string, word: string): EventEnvelope =>
    word === 'accepted'
      ? acceptedEvent(id)
      : statusEvent(id, word, { error: word === 'failed' ? { code: 131026, text: 'Undeliverable' } : null });
  const apply = (events: EventEnvelope[]) =>
    harness.db.transaction((tx) => (events[0]?.type === 'status' ? store.advance(tx, events as never) : store.accept(tx, events as never)));
  const sets = [
    ['accepted', 'sent', 'delivered', 'read'],
    ['accepted', 'sent', 'failed', 'delivered'],
    ['accepted', 'sent', 'failed', 'read'],
    ['accepted', 'sent', 'delivered', 'played', 'sent'],
    ['accepted', 'warped', 'delivered', 'delivered'],
  ];

  it.each(sets)('decision 26: all orders of %s end with the same status', async (...words) => {
    const orders = permutations(words);
    const best = words.reduce((a, b) => ((RANK[b] ?? 0) > (RANK[a] ?? 0) ? b : a));
    for (const order of orders) {
      const id = `wamid.${(made += 1)}`;
      for (const word of order) await apply([eventFor(id, word)]);
      const record = await store.find(1, id);
      const expected = best === 'accepted' ? 'sent' : best === 'played' ? 'read' : best;
      expect({ order, status: record?.delivery_status }).toEqual({ order, status: expected });
      expect(record?.failure_reason !== null).toBe(expected === 'failed');
    }
  });

  it('decision 26: a shuffled batch with duplicates ends with the same status', async () => {
    const id = 'wamid.batch';
    await apply([acceptedEvent(id)]);
    await apply(['read', 'sent', 'delivered', 'sent', 'failed', 'read'].map((word) => eventFor(id, word)));
    expect(await store.find(1, id)).toMatchObject({ delivery_status: 'read', failure_reason: null });
  });

  it('concurrent writers never deadlock and never lower a status', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `wamid.race${i}`);
    const words = ['accepted', 'sent', 'delivered', 'read'];
    await Promise.all(
      words.flatMap((word, turn) => {
        const batch = (turn % 2 ? [...ids].reverse() : ids).map((id) => eventFor(id, word));
        return [apply(batch), apply(batch)];
      }),
    );
    for (const id of ids) expect((await store.find(1, id))?.delivery_status).toBe('read');
  });

  it('decision 26: keeps a status that arrives before the acceptance, hides it, and applies it afterwards', async () => {
    await apply([eventFor('wamid.early', 'delivered')]);
    expect(await store.find(1, 'wamid.early')).toBeNull();
    await apply([acceptedEvent('wamid.early')]);
    expect(await store.find(1, 'wamid.early')).toMatchObject({ delivery_status: 'delivered', sent_at: '2026-01-02T03:04:05.000Z' });
  });

  it('decision 26: failure_reason holds the code, the text and the remedy', async () => {
    await apply([acceptedEvent('wamid.failed')]);
    await apply([eventFor('wamid.failed', 'failed')]);
    expect((await store.find(1, 'wamid.failed'))?.failure_reason).toMatch(/^131026: Undeliverable\./);
  });

  it('spec §4.8, guarantees §9: two replicas consume both streams, and another business sees no record', async () => {
    await harness.run(service);
    await harness.run(service);
    const ids = Array.from({ length: 30 }, (_, i) => `wamid.live${i}`);
    await harness.publish(
      ...ids.flatMap((id) => [eventFor(id, 'read'), eventFor(id, 'sent'), acceptedEvent(id), eventFor(id, 'delivered')]),
    );
    const find = async (business_id: number, message_id: string) =>
      (await harness.rpc.call(GetMessageStatus, { business_id, message_id })).record;
    for (const id of ids) await eventually(async () => (await find(1, id))?.delivery_status === 'read');
    expect(await find(2, ids[0] as string)).toBeNull();
  });
});
