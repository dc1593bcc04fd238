import {
  FindWantedEvents,
  GatewayError,
  GetMessageStatuses,
  PublishWaitingEvents,
  WebhooksChanged,
  type EventEnvelope,
} from '@mgw/contracts';
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
  it.each(['consumer.before-commit', 'consumer.after-commit'])(
    'at %s loses no event, applies each once, and publishes each rise once',
    async (point) => {
      const harness = await startHarness(service);
      harness.respond(FindWantedEvents, ({ business_ids }) => ({ wanted: business_ids.map(() => ['message.status']) }));
      const rows = async (table: string) => (await harness.db.query(`SELECT FROM status.${table}`)).length;
      // A status that arrived before the acceptance.
      const before = await harness.run(service);
      await harness.publish(statusEvent('wamid.1', 'delivered'));
      await eventually(async () => (await rows('records')) === 1);
      await before.stop();
      const child = await harness.spawn('status', { CRASH_AT: point });
      await harness.publish(acceptedEvent('wamid.1'));
      expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
      const committed = point === 'consumer.after-commit' ? 1 : 0;
      expect(await rows('outbox')).toBe(committed);
      expect(await rows('records WHERE sent_at IS NOT NULL')).toBe(committed);
      await harness.run(service);
      const pending = async () =>
        (await (await harness.nc.jetstreamManager()).consumers.info('PUBLIC', 'status-acceptances')).num_ack_pending;
      // JetStream redelivers an event that stays unacknowledged for 30 s.
      await eventually(async () => (await pending()) === 0, { timeoutMs: 90_000 });
      expect(await rows('records')).toBe(1);
      const published = () => harness.published('message.status');
      await eventually(async () => (await published()).length === 1);
      expect(await rows('outbox')).toBe(1);
      await harness.close();
    },
  );
});

describe('guarantees N5: a lost store', () => {
  it('gets statuses again only after the messages that they are about', async () => {
    const harness = await startHarness(service);
    harness.respond(FindWantedEvents, ({ business_ids }) => ({ wanted: business_ids.map(() => ['message.status']) }));
    let asked = 0;
    let published: () => void = () => undefined;
    const whenPublished = new Promise<void>((resolve) => (published = resolve));
    harness.respond(PublishWaitingEvents, async () => {
      asked += 1;
      await whenPublished;
      return {};
    });
    await harness.run(service);
    await harness.publish(acceptedEvent('wamid.1'), statusEvent('wamid.1', 'delivered'));
    const statuses = () => harness.published('message.status');
    await eventually(async () => (await statuses()).length === 1);
    await harness.broker.kill();
    harness.broker.wipe();
    await harness.broker.start();
    await eventually(() => asked > 0);
    expect(await statuses()).toEqual([]);
    published();
    await eventually(async () => (await statuses()).length === 1);
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
  const shown = async (id: string) => (await store.find(1, [id]))[0] ?? null;
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
      const record = await shown(id);
      const expected = best === 'accepted' ? 'sent' : best === 'played' ? 'read' : best;
      expect({ order, status: record?.delivery_status }).toEqual({ order, status: expected });
      expect(record?.failure_reason !== null).toBe(expected === 'failed');
    }
  });

  it('decision 26: a shuffled batch with duplicates ends with the same status', async () => {
    const id = 'wamid.batch';
    await apply([acceptedEvent(id)]);
    await apply(['read', 'sent', 'delivered', 'sent', 'failed', 'read'].map((word) => eventFor(id, word)));
    expect(await shown(id)).toMatchObject({ delivery_status: 'read', failure_reason: null });
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
    for (const id of ids) expect((await shown(id))?.delivery_status).toBe('read');
  });

  it('decision 26: keeps a status that arrives before the acceptance, hides it, and applies it afterwards', async () => {
    await apply([eventFor('wamid.early', 'delivered')]);
    expect(await shown('wamid.early')).toBeNull();
    await apply([acceptedEvent('wamid.early')]);
    expect(await shown('wamid.early')).toMatchObject({ delivery_status: 'delivered', sent_at: '2026-01-02T03:04:05.000Z' });
  });

  it('decision 26: failure_reason holds the code, the text and the remedy', async () => {
    await apply([acceptedEvent('wamid.failed')]);
    await apply([eventFor('wamid.failed', 'failed')]);
    expect((await shown('wamid.failed'))?.failure_reason).toMatch(/^131026: Undeliverable\./);
  });

  it('spec §4.8, guarantees §9: two replicas consume both streams, and another business sees no record', async () => {
    await harness.run(service);
    await harness.run(service);
    const ids = Array.from({ length: 30 }, (_, i) => `wamid.live${i}`);
    await harness.publish(
      ...ids.flatMap((id) => [eventFor(id, 'read'), eventFor(id, 'sent'), acceptedEvent(id), eventFor(id, 'delivered')]),
    );
    const find = async (business_id: number, message_id: string) =>
      (await harness.rpc.call(GetMessageStatuses, { business_id, message_ids: [message_id] })).statuses[0];
    for (const id of ids) await eventually(async () => (await find(1, id))?.delivery_status === 'read');
    expect(await find(2, ids[0] as string)).toBeUndefined();
  });
});

describe('decision 286: message.status', () => {
  const WANTING = 1;
  let harness: Harness;
  let made = 0;
  let lookups: number[] = [];
  const wanted = new Map<number, string[] | undefined>([
    [WANTING, ['message.sent', 'message.status']],
    [2, ['message.sent']],
  ]);
  beforeAll(async () => {
    harness = await startHarness(service);
    harness.respond(FindWantedEvents, ({ business_ids }) => {
      lookups.push(...business_ids);
      return {
        wanted: business_ids.map((id) => {
          const events = wanted.get(id);
          if (events === undefined) throw new GatewayError('INTERNAL', 'The dispatcher does not respond.');
          return events;
        }),
      };
    });
    await harness.run(service);
  });
  afterAll(() => harness.close());

  const status = (id: string, word: string, business = WANTING) =>
    statusEvent(id, word, { error: word === 'failed' ? { code: 131026, text: 'Undeliverable' } : null }, business);
  const dataOf = async (id: string) =>
    (await harness.published('message.status'))
      .map(({ data }) => data as Record<string, unknown>)
      .filter(({ message_id }) => message_id === id);
  const rises = async (id: string) => (await dataOf(id)).map(({ previous_status, status }) => [previous_status, status]);
  const rankOf = async (id: string) =>
    (
      await harness.db.query<{ rank: number; sent: boolean }>(
        'SELECT rank, sent_at IS NOT NULL AS sent FROM status.records WHERE message_id = $1',
        [id],
      )
    )[0];
  const accepted = async (id: string, business = WANTING) => {
    await harness.publish(acceptedEvent(id, business));
    await eventually(async () => (await rankOf(id))?.sent);
  };
  /** Statuses that arrived earlier have been handled when this one has. */
  const handledAll = async () => {
    const id = `wamid.last${(made += 1)}`;
    await harness.publish(status(id, 'delivered'));
    await eventually(() => rankOf(id));
  };

  it('reports each rise once, however often and in whatever order the platform repeats it', async () => {
    await accepted('wamid.a');
    await harness.publish(status('wamid.a', 'sent'), status('wamid.a', 'delivered'));
    await eventually(async () => (await rises('wamid.a')).length === 1);
    await harness.publish(
      status('wamid.a', 'read'),
      statusEvent('wamid.a', 'delivered', { occurred_at: '2026-01-02T03:04:06.000Z' }),
      status('wamid.a', 'played'),
      status('wamid.a', 'failed'),
    );
    await handledAll();
    await eventually(async () => (await rises('wamid.a')).length === 2);
    expect(await rises('wamid.a')).toEqual([
      ['sent', 'delivered'],
      ['delivered', 'read'],
    ]);
    const [first] = (await harness.published('message.status')).filter(
      ({ data }) => (data as { message_id: string }).message_id === 'wamid.a',
    );
    expect(first).toMatchObject({ id: 'message.status:wamid.a:delivered', business_id: WANTING, key: 'conversation:1' });
    expect(first?.data).toEqual({
      message_id: 'wamid.a',
      to: '919876543210',
      type: 'text',
      sent_by: 'api',
      status: 'delivered',
      previous_status: 'sent',
      occurred_at: first?.at,
      conversation_id: 1,
      business_id: WANTING,
    });
  });

  it('reports statuses that arrive before the acceptance when it arrives, with the reason of a failure', async () => {
    await harness.publish(status('wamid.b', 'delivered'), status('wamid.b', 'failed'));
    await eventually(async () => (await rankOf('wamid.b'))?.rank === 3);
    expect(await harness.db.query(`SELECT FROM status.outbox WHERE event_id LIKE '%wamid.b:%'`)).toEqual([]);
    await accepted('wamid.b');
    await harness.publish(acceptedEvent('wamid.b'), status('wamid.b', 'read'));
    await eventually(async () => (await rises('wamid.b')).length === 3);
    expect(await rises('wamid.b')).toEqual([
      ['sent', 'delivered'],
      ['delivered', 'failed'],
      ['failed', 'read'],
    ]);
    expect((await dataOf('wamid.b'))[1]).toMatchObject({
      failure_reason: expect.stringMatching(/^131026: Undeliverable\./) as string,
      error_code: 131026,
    });
    expect((await dataOf('wamid.b'))[2]).not.toHaveProperty('failure_reason');
  });

  it('writes nothing where no webhook wants it, from the announcement of a change on, and publishes while it is unknown', async () => {
    await accepted('wamid.c', 2);
    await harness.publish(status('wamid.c', 'delivered', 2));
    await eventually(async () => (await rankOf('wamid.c'))?.rank === 2);
    expect(await harness.db.query(`SELECT FROM status.outbox WHERE event_id LIKE '%wamid.c:%'`)).toEqual([]);
    wanted.set(2, ['message.status']);
    lookups = [];
    harness.rpc.announce(WebhooksChanged, { business_id: 2 });
    await eventually(async () => {
      const id = `wamid.c${(made += 1)}`;
      await accepted(id, 2);
      await harness.publish(status(id, 'delivered', 2));
      await eventually(async () => (await rankOf(id))?.rank === 2);
      return lookups.includes(2);
    });
    await eventually(async () => (await rises(`wamid.c${made}`)).length === 1);
    await accepted('wamid.d', 3);
    await harness.publish(status('wamid.d', 'delivered', 3));
    await eventually(async () => (await rises('wamid.d')).length === 1);
  });
});
