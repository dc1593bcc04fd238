import { cpSync, rmSync } from 'node:fs';
import { ConversationCreated, MessageSent, type EventEnvelope } from '@mgw/contracts';
import { DeadlineExceeded } from '@mgw/deadlines';
import type { Database } from '@mgw/postgres';
import { createLogger } from '@mgw/telemetry';
import { eventually, oneByOne, sideBySide } from '@mgw/testing';
import { OutboxRelay, appendToOutbox, DeadLetters, eraseEvents, newEvent, allowDirectPublish } from './index';
import { OutboxStreams } from './outbox-streams';
import { ensureStreams } from './streams';
import { openShop, sent, type Shop } from './shop.fixture';

const range = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);
const ids = (numbers: number[]) => numbers.map((number) => sent(number).id);

function sentIn(conversation: number, number: number, text = 'Hi'): EventEnvelope {
  const data = {
    message_id: `wamid.${number}`,
    to: '1',
    type: 'text',
    text,
    sent_by: 'api',
    conversation_id: conversation,
    business_id: 1,
  };
  const facts = { intent_id: 'i', api_key_id: 1, template: null, repaired: false };
  const about = { at: '2026-01-02T03:04:05.678Z', business_id: 1, key: `conversation:${conversation}` };
  return newEvent(MessageSent, { ...about, id: sent(number).id, data, facts });
}

async function openRelays() {
  const shop = await openShop();
  const allPublished = () => eventually(async () => (await shop.count('outbox WHERE published_at IS NULL')) === 0);
  return {
    shop,
    effects: async (count: number, timeoutMs = 60_000) => {
      await eventually(async () => (await shop.effects()).length >= count, { timeoutMs });
      return shop.effects();
    },
    allPublished,
    /** Ids of the events in the stream, in its order and with repetitions. */
    inStream: async (stream = 'PUBLIC') => {
      const { streams } = await shop.nc.jetstreamManager();
      const { state } = await streams.info(stream);
      const found: string[] = [];
      for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++) {
        const events = [(await streams.getMessage(stream, { seq })).json<EventEnvelope | EventEnvelope[]>()].flat();
        found.push(...events.map(({ id }) => id));
      }
      return found;
    },
    epochs: async () =>
      (await shop.db.query<{ epoch: number }>(`SELECT epoch FROM shop.outbox_streams WHERE stream = 'PUBLIC'`)).map(({ epoch }) => epoch),
    append: (...events: EventEnvelope[]) => shop.db.transaction((tx) => appendToOutbox(tx, 'shop', events)),
    /** A relay that has published one event and reads the outbox only on request. */
    quietRelay: async () => {
      const relay = shop.relay({ pollMs: 600_000 });
      await shop.publish(0);
      relay.wake();
      await allPublished();
      return relay;
    },
    restart: async (whileDown: () => void) => {
      await shop.broker.kill();
      whileDown();
      await shop.broker.start();
    },
  };
}

const test = sideBySide(openRelays, ({ shop }) => shop.close());
const testAlone = oneByOne(openRelays, async ({ shop }) => {
  jest.restoreAllMocks();
  await shop.close();
});

describe('relays of one outbox (guarantees N5)', () => {
  test('never publish from memory ahead of another replica’s older unpublished events of the key', async ({
    shop,
    inStream,
    append,
    quietRelay,
  }) => {
    const relay = await quietRelay();
    // Written by another replica, which has not published it.
    await append(sent(1));
    await shop.commitAndPublish(relay, 2, 3);
    await eventually(async () => (await inStream()).length >= 4);
    expect(await inStream()).toEqual(ids(range(4)));
  });

  test('never publish from memory ahead of an own older event of the key whose commit lost its response', async ({
    shop,
    inStream,
    append,
    quietRelay,
  }) => {
    const relay = await quietRelay();
    // Still in memory or not marked when the next one is written.
    for (const number of range(2, 1)) await shop.commitAndPublish(relay, number);
    // The connection broke after the commit, so the relay does not know this one.
    await append(sent(3));
    for (const number of range(3, 4)) await shop.commitAndPublish(relay, number);
    await eventually(async () => (await inStream()).length >= 7);
    expect(await inStream()).toEqual(ids(range(7)));
  });

  test('publish from memory although their own events in memory or those of other keys are unpublished', async ({
    shop,
    inStream,
    append,
    quietRelay,
  }) => {
    const relay = await quietRelay();
    await append(sentIn(2, 1));
    // Not marked yet when the next one is written.
    for (const number of range(3, 2)) await shop.commitAndPublish(relay, number);
    await eventually(async () => (await inStream()).length >= 4);
    expect(await inStream()).toEqual(ids([0, 2, 3, 4]));
  });

  test('do not publish a later event of a key after a refused one', async ({ shop, effects, inStream, append, quietRelay }) => {
    await ensureStreams(await shop.nc.jetstreamManager(), { maxBytes: 400_000 });
    const consumer = shop.consumer();
    await eventually(async () => (await shop.nc.jetstreamManager()).consumers.info('PUBLIC', 'shop').catch(() => false));
    await consumer.stop();
    const relay = await quietRelay();
    const large = 'x'.repeat(250_000);
    const data = { conversation_id: 1, customer_phone: '1', customer_name: '', first_message: 'Hi', business_id: 1 };
    const created = newEvent(ConversationCreated, {
      id: 'conversation.created:1',
      at: '2026-01-02T03:04:05.678Z',
      business_id: 1,
      key: 'conversation:1',
      data,
    });
    await append(sentIn(1, 1, large), sentIn(1, 2, large), created);
    relay.wake();
    await eventually(async () => (await inStream()).includes(sent(1).id));
    shop.consumer();
    relay.wake();
    expect(await effects(4)).toEqual([...ids([0, 1, 2]), created.id]);
  });

  type Publish = ReturnType<Shop['nc']['jetstream']>['publish'];
  const publishingBy = (shop: Shop, publish: Publish) =>
    new Proxy(shop.nc, {
      get: (target, name: keyof typeof shop.nc) => {
        if (name === 'jetstream') return () => ({ publish });
        const value: unknown = target[name];
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });

  /** NATS that takes 4.5 s to acknowledge each message. @param before runs before each one */
  const slowNats = (shop: Shop, before: () => Promise<unknown>) => {
    const jetstream = shop.nc.jetstream();
    const now = performance.now.bind(performance);
    let slowMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now() + slowMs);
    const publish = async (...args: Parameters<typeof jetstream.publish>) => {
      await before();
      slowMs += 4_500;
      return jetstream.publish(...args);
    };
    return publishingBy(shop, publish);
  };

  testAlone(
    'publish once although JetStream acknowledges later than other pauses may last (decision 791)',
    async ({ shop, allPublished, append }) => {
      const published: string[] = [];
      const jetstream = shop.nc.jetstream();
      const nc = publishingBy(shop, async (...args: Parameters<typeof jetstream.publish>) => {
        published.push(args[0]);
        const waits = `SELECT FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()
        AND state_change < clock_timestamp() - interval '2.5 seconds'`;
        await eventually(async () => (await shop.db.query(waits)).length > 0);
        return jetstream.publish(...args);
      });
      await append(sent(1));
      shop.relay({ nc });
      await allPublished();
      expect(published).toHaveLength(1);
    },
  );

  testAlone('mark slowly acknowledged events before PostgreSQL ends the transaction', async ({ shop, allPublished, inStream, append }) => {
    const markedBefore: number[] = [];
    const nc = slowNats(shop, async () => markedBefore.push(await shop.count('outbox WHERE published_at IS NOT NULL')));
    // Each is too large to share a message, and waits for the previous one of its key.
    await append(...range(4).map((number) => sentIn(1, number, 'x'.repeat(30_000))));
    shop.relay({ nc });
    await allPublished();
    expect(markedBefore).toEqual([0, 0, 2, 2]);
    expect(await inStream()).toEqual(ids(range(4)));
  });

  testAlone(
    'lengthen a stream before PostgreSQL ends the transaction, and publish new events after that',
    async ({ shop, allPublished, inStream, append }) => {
      const transactions: (string | undefined)[] = [];
      const nc = slowNats(shop, async () => {
        const [own] = await shop.db.query<{ at: string }>(
          `SELECT xact_start::text AS at FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()`,
        );
        transactions.push(own?.at);
      });
      const missing = () => Math.max(0, 4 - transactions.length);
      jest.spyOn(OutboxStreams.prototype, 'countMissingBeforeNew').mockImplementation(async () => Math.min(1, missing()));
      await append(sent(1));
      shop.relay({ nc });
      await allPublished();
      expect([...new Set(transactions)].map((one) => transactions.filter((at) => at === one).length)).toEqual([2, 2, 1]);
      expect(await inStream()).toHaveLength(5);
    },
  );

  testAlone('publish and mark on time although the clock is set back', async ({ shop, allPublished }) => {
    shop.consumer();
    shop.relay();
    await shop.publish(1);
    await allPublished();
    const handledUntil = async () => (await shop.db.query(`SELECT handled_until FROM shop.outbox_streams WHERE stream = 'PUBLIC'`))[0];
    await eventually(async () => (await shop.count(`outbox_streams WHERE stream = 'PUBLIC' AND handled_until > '-infinity'`)) === 1);
    const before = await handledUntil();
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() - 20 * 60_000);
    await shop.publish(2);
    await allPublished();
    await eventually(async () => JSON.stringify(await handledUntil()) !== JSON.stringify(before));
  });

  test('detect no loss while another replica publishes between two readings', async ({
    shop,
    allPublished,
    inStream,
    epochs,
    quietRelay,
  }) => {
    const busy = await quietRelay();
    let [next, calls] = [1, 0];
    const publishOneMore = async () => {
      calls += 1;
      await shop.commitAndPublish(busy, next++);
      await allPublished();
    };
    const between = new Proxy(shop.db, {
      get: (target, name: keyof Database) => {
        const value = target[name];
        if (name !== 'query' && name !== 'transaction') return value;
        return async (...args: unknown[]) => {
          await publishOneMore();
          return (value as (...args: unknown[]) => unknown).apply(target, args);
        };
      },
    });
    const other = shop.relay({ db: between });
    await eventually(() => calls > 8);
    // Before the busy one, which publishes what it waits for.
    await other.stop();
    expect(await epochs()).toEqual([0]);
    expect((await inStream()).sort()).toEqual(ids(range(next)).sort());
  });

  test('try again at intervals, not at each new event, while NATS refuses them', async ({ shop, append, allPublished }) => {
    const jetstream = shop.nc.jetstream();
    let [attempts, refuses] = [0, true];
    const publish = (...args: Parameters<typeof jetstream.publish>) => {
      attempts += 1;
      return refuses ? Promise.reject(new Error('insufficient storage')) : jetstream.publish(...args);
    };
    const relay = shop.relay({ nc: publishingBy(shop, publish), pollMs: 600_000 });
    const begun = performance.now();
    await append(sent(0));
    await eventually(
      () => {
        relay.wake();
        return attempts >= 3;
      },
      { everyMs: 5 },
    );
    expect(performance.now() - begun).toBeGreaterThan(900);
    refuses = false;
    await allPublished();
  });

  test('publish the events that are reported while they look for older ones together with those', async ({
    shop,
    append,
    allPublished,
  }) => {
    let unpublished: Promise<number> | undefined;
    let isReported = false;
    const db = new Proxy(shop.db, {
      get: (target, name: keyof Database) => {
        if (name === 'transaction')
          return async (...args: Parameters<Database['transaction']>) => {
            const result = await target.transaction(...args);
            if (isReported) unpublished ??= shop.count('outbox WHERE published_at IS NULL');
            return result;
          };
        if (name !== 'query') return target[name];
        return async (text: string, values: unknown[]) => {
          const rows = await target.query<{ found?: boolean }>(text, values);
          if (rows[0]?.found && !isReported) {
            await append(sent(2));
            relay.wake();
            isReported = true;
          }
          return rows;
        };
      },
    });
    const relay = shop.relay({ db });
    await append(sent(0));
    relay.wake();
    await allPublished();
    // Not reported: a poll finds it.
    await append(sent(1));
    expect(await eventually(() => unpublished?.then((count) => ({ count })))).toEqual({ count: 0 });
  });

  test('publish only unhandled events again after a loss of the store, in order and before new ones', async ({
    shop,
    effects,
    allPublished,
    inStream,
    epochs,
    restart,
  }) => {
    const relay = shop.relay();
    const consumer = shop.consumer();
    await shop.publish(...range(50));
    await effects(50);
    await eventually(async () => (await shop.count(`outbox_streams WHERE stream = 'PUBLIC' AND handled_until > '-infinity'`)) === 1);
    // Published long before the last check of the consumers, in a longer stream.
    await shop.db.query(`UPDATE shop.outbox SET published_at = published_at - interval '1 hour', published_seq = published_seq + 1000`);
    await consumer.stop();
    await shop.publish(...range(5, 50));
    await allPublished();
    await relay.stop();
    await restart(() => shop.broker.wipe());
    const other = shop.relay();
    await shop.publish(55);
    other.wake();
    await allPublished();
    await eventually(async () => (await inStream()).length >= 6);
    expect(await inStream()).toEqual(ids(range(6, 50)));
    expect(await epochs()).toEqual([1]);
    shop.consumer();
    expect(await effects(56)).toEqual(ids(range(56)));
    // Decision 422: an erasure need not wait until the events from before the loss expire.
    await eventually(async () => {
      await eraseEvents(shop.db, shop.nc, ids([49, 55]));
      return (await shop.count('outbox')) === 54;
    });
  });

  testAlone(
    'publish events again after a second loss of the store for a service that has been stopped since before the first',
    async ({ shop, effects, epochs, restart }) => {
      let checks = 0;
      const now = performance.now.bind(performance);
      // Relays check the consumers every two seconds.
      jest.spyOn(performance, 'now').mockImplementation(() => now() + 2_000 * checks);
      const bound = <T extends object>(target: T, name: string | symbol): unknown => {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      };
      const query = (text: string, values?: unknown[]) => {
        if (/AS time|handled_until/.test(text)) checks += 1;
        return shop.db.nonDurable.query(text, values);
      };
      const nonDurable = new Proxy(shop.db.nonDurable, { get: (target, name) => (name === 'query' ? query : bound(target, name)) });
      shop.relay({ db: new Proxy(shop.db, { get: (target, name) => (name === 'nonDurable' ? nonDurable : bound(target, name)) }) });
      shop.consumer();
      const received: string[] = [];
      const other = { durable: 'other', handle: async (events: EventEnvelope[]) => void received.push(...events.map(({ id }) => id)) };
      const stopped = shop.consumer(other);
      await shop.publish(...range(3));
      await eventually(() => received.length === 3);
      await stopped.stop();
      await restart(() => shop.broker.wipe());
      await eventually(async () => (await epochs())[0] === 1);
      await shop.db.query(`UPDATE shop.outbox_streams SET handled_until = now() - interval '1 hour'`);
      await shop.publish(3);
      await effects(4);
      const before = checks;
      await eventually(() => checks >= before + 2);
      // Published long before the last check of the consumers.
      await shop.db.query(`UPDATE shop.outbox SET published_at = published_at - interval '1 minute'`);
      await restart(() => shop.broker.wipe());
      shop.consumer(other);
      await shop.publish(4);
      await eventually(() => received.includes(sent(4).id));
      expect(received).toEqual(ids(range(5)));
    },
  );

  test('publish lost events before new ones when the store is lost while they read the outbox', async ({
    shop,
    allPublished,
    inStream,
    append,
    restart,
  }) => {
    let afterReading = () => Promise.resolve();
    const held = new Proxy(shop.db, {
      get: (db, name) => {
        const value: unknown = Reflect.get(db, name, db);
        if (name !== 'transaction') return typeof value === 'function' ? (value.bind(db) as unknown) : value;
        const transaction: Database['transaction'] = (work, options) =>
          db.transaction(
            (tx) =>
              work({
                query: async <T>(sql: string, values?: unknown[]) => {
                  const rows = await tx.query<T>(sql, values);
                  if (sql.includes('budgeted') && rows.length > 0) await afterReading();
                  return rows;
                },
              }),
            options,
          );
        return transaction;
      },
    });
    const relay = shop.relay({ pollMs: 600_000, db: held });
    await append(...[0, 1].map((number) => sent(number)));
    relay.wake();
    await allPublished();
    afterReading = async () => {
      afterReading = () => Promise.resolve();
      const reconnected = new Promise<void>((resolve) => {
        void (async () => {
          for await (const { type } of shop.nc.status()) if (type === 'reconnect') return resolve();
        })();
      });
      await restart(() => shop.broker.wipe());
      await reconnected;
      await ensureStreams(await shop.nc.jetstreamManager());
    };
    await append(sent(2));
    relay.wake();
    await eventually(async () => (await shop.count('outbox WHERE published_at IS NULL')) === 0 && (await inStream()).length >= 3);
    expect((await inStream()).slice(0, 3)).toEqual(ids(range(3)));
  });

  test('publish nothing after a loss, even if restarted, until the events that theirs follow are published (decision 763)', async ({
    shop,
    effects,
    allPublished,
    inStream,
    epochs,
    restart,
  }) => {
    let asked = 0;
    let published: () => void = () => undefined;
    const whenPublished = new Promise<void>((resolve) => (published = resolve));
    const predecessorsPublished = async () => {
      asked += 1;
      // An attempt fails, as while the other service is down.
      if (asked === 1) throw new Error('no response');
      await whenPublished;
    };
    const first = shop.relay({ predecessorsPublished });
    await shop.publish(1, 2);
    await allPublished();
    expect(asked).toBe(0);
    await restart(() => shop.broker.wipe());
    await eventually(() => asked === 2);
    expect(await epochs()).toEqual([1]);
    shop.relay({ predecessorsPublished });
    await eventually(() => asked === 3);
    await shop.publish(3);
    expect(await inStream()).toEqual([]);
    published();
    await first.stop();
    shop.consumer();
    expect(await effects(3)).toEqual(ids([1, 2, 3]));
  });

  test('report their events as published only if they are in the stream as it is now (decision 763)', async ({
    shop,
    allPublished,
    inStream,
    restart,
  }) => {
    const first = shop.relay();
    await shop.publish(1);
    await allPublished();
    await first.published(Date.now() + 60_000);
    await first.stop();
    await restart(() => shop.broker.wipe());
    const second = new OutboxRelay({
      db: shop.db,
      schema: 'shop',
      streams: ['PUBLIC'],
      nc: shop.nc,
      logger: createLogger('relays', 'silent'),
    });
    const outcome = () =>
      second.published(Date.now() + 200).then(
        () => 'published',
        (error: unknown) => error instanceof DeadlineExceeded && 'waiting',
      );
    expect(await eventually(outcome)).toBe('waiting');
    second.start();
    await shop.publish(2);
    await second.published(Date.now() + 60_000);
    expect(await inStream()).toEqual(ids([1, 2]));
    await second.stop();
  });

  test('publish only the tail again when a stream lost its tail', async ({ shop, effects, allPublished, inStream, epochs, restart }) => {
    const relay = shop.relay();
    for (const number of range(5)) {
      await shop.publish(number);
      await allPublished();
    }
    const copy = `${shop.broker.storeDir}.copy`;
    await restart(() => cpSync(shop.broker.storeDir, copy, { recursive: true }));
    for (const number of range(5, 5)) {
      await shop.publish(number);
      await allPublished();
    }
    await restart(() => {
      shop.broker.wipe();
      cpSync(copy, shop.broker.storeDir, { recursive: true });
      rmSync(copy, { recursive: true });
    });
    await eventually(async () => (await epochs())[0] === 1);
    await shop.publish(10);
    await allPublished();
    await eventually(async () => (await inStream()).length >= 11);
    expect(await inStream()).toEqual(ids(range(11)));
    await relay.stop();
    shop.consumer();
    expect(await effects(11)).toEqual(ids(range(11)));
  });

  test('deliver new events of a stream that ends before its consumers’ position', async ({
    shop,
    effects,
    allPublished,
    epochs,
    restart,
  }) => {
    const relay = shop.relay();
    shop.consumer();
    for (const number of range(5)) {
      await shop.publish(number);
      await allPublished();
    }
    await effects(5);
    const msgs = `${shop.broker.storeDir}/jetstream/$G/streams/PUBLIC/msgs`;
    const copy = `${shop.broker.storeDir}.copy`;
    await restart(() => cpSync(msgs, copy, { recursive: true }));
    for (const number of range(5, 5)) {
      await shop.publish(number);
      await allPublished();
    }
    await effects(10);
    await restart(() => {
      rmSync(msgs, { recursive: true });
      cpSync(copy, msgs, { recursive: true });
      rmSync(copy, { recursive: true });
    });
    await eventually(async () => (await epochs())[0] === 1);
    await shop.publish(...range(3, 10));
    await allPublished();
    await relay.stop();
    expect(await effects(13)).toEqual(ids(range(13)));
  });

  describe('with many published events', () => {
    /** More than the relay publishes before new events. */
    const OLD = 60_000;
    /** Ids, in the order in which they were handled first. */
    const handled = new Set<string>();
    let repeated: number;
    const remember = async (events: EventEnvelope[]) => {
      for (const { id } of events) {
        if (handled.has(id)) repeated += 1;
        handled.add(id);
      }
    };
    let opened: Awaited<ReturnType<typeof openRelays>>;
    const refilling = () => opened.shop.count(`outbox_streams WHERE stream = 'PUBLIC' AND refill_until IS NOT NULL`);
    afterEach(() => opened.shop.close());
    beforeEach(async () => {
      handled.clear();
      repeated = 0;
      opened = await openRelays();
      const { shop, quietRelay } = opened;
      await (await quietRelay()).stop();
      const [{ body = '' } = {}] = await shop.db.query<{ body: string }>('SELECT body FROM shop.outbox');
      const text = 'x'.repeat(300);
      await shop.db.query(
        `INSERT INTO shop.outbox (event_id, subject, ordering_key, body, created_at, published_at)
         SELECT 'message.sent:old.' || n, 'public.message.sent', 'conversation:' || n % 5000,
           replace(replace($1, 'wamid.0', 'old.' || n), '"Hi"', '"${text}"'), now(), now() - (${OLD} - n) * interval '2 seconds'
         FROM generate_series(1, ${OLD}) AS n`,
        [body],
      );
    });

    it('publish new events during the refill, which any replica continues, and the outbox does not grow', async () => {
      const { shop, restart } = opened;
      const size = async () => Number((await shop.db.query<{ size: string }>(`SELECT pg_table_size('shop.outbox') AS size`))[0]?.size);
      const before = await size();
      await restart(() => shop.broker.wipe());
      const relays = [shop.relay(), shop.relay()];
      await eventually(async () => (await refilling()) === 1);
      await Promise.all(relays.map((relay) => relay.stop()));
      expect(await refilling()).toBe(1);
      shop.consumer({ idempotent: true, handle: remember });
      shop.relay();
      await shop.publish(1);
      await eventually(() => handled.size >= OLD + 2, { timeoutMs: 120_000 });
      await eventually(async () => (await refilling()) === 0);
      expect([...handled].indexOf(sent(1).id)).toBeLessThan(OLD / 2);
      // One step may be repeated when a relay stops.
      expect(repeated).toBeLessThan(10_000);
      expect(await size()).toBeLessThan(before * 2);
    }, 240_000);
  });

  test('set an event aside that is too large for NATS, with a reason, and others of its key continue', async ({
    shop,
    effects,
    append,
    quietRelay,
  }) => {
    const letters = new DeadLetters(shop.db, 'shop');
    const relay = await quietRelay();
    shop.consumer();
    await append(sent(1), sentIn(1, 2, 'x'.repeat(9_000_000)), sent(3));
    relay.wake();
    expect(await effects(3)).toEqual(ids([0, 1, 3]));
    // Its letter commits after the other events were published.
    const [letter] = await eventually(async () => {
      const listed = (await letters.list(10)).deadLetters;
      return listed.length > 0 && listed;
    });
    expect(letter).toMatchObject({ consumer: 'outbox', event_id: sent(2).id, business: '1', reason: expect.stringMatching(/^9\d+ bytes/) });
    // Still too large.
    await letters.requestReplay([letter?.id ?? '']);
    relay.wake();
    await eventually(async () => (await letters.list(10)).deadLetters[0]?.attempts === 2);
    expect((await letters.list(10)).deadLetters).toMatchObject([{ event_id: sent(2).id, replay_requested: false }]);
    // NATS accepts it now.
    const body = JSON.stringify(sent(2));
    await shop.db.query('UPDATE shop.dead_letters SET body = $1', [body]);
    await letters.requestReplay('all');
    relay.wake();
    expect(await effects(4)).toEqual(ids([0, 1, 3, 2]));
    expect((await letters.list(10)).deadLetters).toEqual([]);
  });

  test('read events by a budget in bytes (guarantees N1)', async ({ shop, allPublished, inStream, append }) => {
    let most = 0;
    const measured = new Proxy(shop.db, {
      get: (target, name: keyof Database) => {
        if (name !== 'transaction') return target[name];
        const transaction: Database['transaction'] = (work, options) =>
          target.transaction(
            (tx) =>
              work({
                query: async <T>(text: string, values?: unknown[]) => {
                  const rows = await tx.query<T>(text, values);
                  most = Math.max(
                    most,
                    (rows as { body?: string | null }[]).reduce((sum, { body }) => sum + (body?.length ?? 0), 0),
                  );
                  return rows;
                },
              }),
            options,
          );
        return transaction;
      },
    });
    await append(...range(30).map((number) => sentIn(1, number, 'x'.repeat(number % 3 === 0 ? 900_000 : 200_000))));
    shop.relay({ db: measured });
    await allPublished();
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(1_400_000);
    expect(await inStream()).toEqual(ids(range(30)));
  });

  test('hold events in memory up to a bound in bytes; the outbox holds the others (guarantees N1)', async ({ shop }) => {
    const relay = new OutboxRelay({
      db: shop.db,
      schema: 'shop',
      streams: ['PUBLIC'],
      nc: shop.nc,
      logger: createLogger('relays', 'silent'),
    });
    const internals = Object.assign(relay as unknown as { inMemory: unknown[]; caughtUp: boolean }, { caughtUp: true });
    for (const number of range(5)) {
      const event = sentIn(1, number, 'x'.repeat(900_000));
      allowDirectPublish([event], []);
      relay.publishCommitted([event]);
    }
    expect(internals).toMatchObject({ inMemory: { length: 2 }, caughtUp: false });
    await relay.stop();
  });
});
