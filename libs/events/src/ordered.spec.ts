import type { EventEnvelope } from '@mgw/contracts';
import type { Database, Tx } from '@mgw/postgres';
import { eventually, oneByOne, sideBySide } from '@mgw/testing';
import type { EventConsumerOptions } from './index';
import { effect, openShop, sent } from './shop.fixture';
import { ensureStreams } from './streams';

const range = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);
const ids = (numbers: number[]) => numbers.map((number) => sent(number).id);

async function openReplicas() {
  const shop = await openShop();
  const heardBy = new Set<string>();
  return {
    shop,
    /** Which replicas had an effect. */
    heardBy,
    replica: (name: string, options: Partial<EventConsumerOptions> = {}) =>
      shop.consumer({
        ordered: true,
        concurrency: 8,
        ...options,
        handle: async (events: EventEnvelope[], tx: Tx) => {
          heardBy.add(name);
          // Enough statements for the other replica to interleave.
          for (const event of events) await effect([event], tx);
        },
      }),
    /** Each in a message of its own. */
    publish: async (...numbers: number[]) => {
      const jetstream = shop.nc.jetstream();
      await Promise.all(numbers.map((number) => jetstream.publish('public.message.sent', JSON.stringify(sent(number)))));
    },
    effectsOf: async (count: number, timeoutMs = 60_000) => {
      await eventually(async () => (await shop.effects()).length >= count, { timeoutMs });
      return shop.effects();
    },
    streams: () => eventually(async () => (await shop.nc.jetstreamManager()).consumers.info('PUBLIC', 'shop').catch(() => false)),
    holder: async () => (await shop.db.query<{ worker_id: string }>('SELECT worker_id FROM shop.consumer_leases'))[0]?.worker_id,
    /** Suspends this process for a minute, and gives its lease to another worker. */
    takeLease: async (worker: string) => {
      await shop.db.query(`UPDATE shop.workers SET alive_until = now()`);
      await shop.db.query(`INSERT INTO shop.workers VALUES ($1, now() + interval '1 hour')`, [worker]);
      await shop.db.query(`UPDATE shop.consumer_leases SET worker_id = $1`, [worker]);
      const now = performance.now.bind(performance);
      jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
    },
    /** The database, which commits the first such statement and loses its response. */
    losingResponseOf: (statement: RegExp) => {
      let lost = 0;
      const query: Database['query'] = async (...asked) => {
        const rows = await shop.db.query(...asked);
        if (lost > 0 || !statement.test(asked[0])) return rows as never;
        lost += 1;
        throw new Error('Connection terminated unexpectedly');
      };
      const db = new Proxy(shop.db, { get: (target, name) => (name === 'query' ? query : (Reflect.get(target, name, target) as unknown)) });
      return { db, wasLost: () => lost > 0 };
    },
  };
}

const test = sideBySide(openReplicas, ({ shop }) => shop.close());
const testAlone = oneByOne(openReplicas, async ({ shop }) => {
  await shop.close();
  jest.restoreAllMocks();
});

describe('events of an ordered consumer with several replicas (decision 29b)', () => {
  testAlone('take effect in the order of their publication', async ({ heardBy, replica, publish, effectsOf, streams }) => {
    replica('a');
    replica('b');
    await streams();
    for (const start of range(20)) await publish(...range(20, start * 20));
    expect(await effectsOf(400)).toEqual(ids(range(400)));
    expect(heardBy.size).toBe(1);
  });

  test('decision 460: gather in the stream while nothing needs them, and keep their order', async ({
    shop,
    replica,
    publish,
    effectsOf,
  }) => {
    // So many that one request a second would take longer than the wait.
    const count = 640;
    let answer: ((isIdle: boolean) => void) | undefined;
    let isAnswered = false;
    replica('a', { isIdle: () => (isAnswered ? Promise.resolve(true) : new Promise((resolve) => (answer = resolve))) });
    await eventually(() => answer !== undefined);
    await publish(...range(count));
    await eventually(async () =>
      (await shop.nc.jetstreamManager()).consumers.info('PUBLIC', 'shop').then((info) => info.num_pending === count),
    );
    isAnswered = true;
    answer?.(true);
    expect(await effectsOf(count)).toEqual(ids(range(count)));
  });

  test('continue in order, and at once, with another replica when one stops', async ({
    heardBy,
    replica,
    publish,
    effectsOf,
    streams,
    holder,
  }) => {
    const replicas = { a: replica('a'), b: replica('b') };
    await streams();
    await publish(...range(50));
    await eventually(() => heardBy.size > 0);
    const first = heardBy.has('a') ? 'a' : 'b';
    const held = await holder();
    const publishing = publish(...range(150, 50));
    await replicas[first].stop();
    // Released, not expired.
    expect(await holder()).not.toBe(held);
    await publishing;
    await publish(...range(100, 200));
    expect(await effectsOf(300)).toEqual(ids(range(300)));
    expect([...heardBy].sort()).toEqual(['a', 'b']);
  });

  test('continue in order with another replica when one has lost the database', async ({
    shop,
    heardBy,
    replica,
    publish,
    effectsOf,
    streams,
  }) => {
    let isDown = false;
    replica('a', { db: shop.dbUnless(() => isDown) });
    await streams();
    await publish(0);
    await effectsOf(1);
    replica('b');
    isDown = true;
    for (const number of range(40, 1)) await publish(number);
    expect(await effectsOf(41)).toEqual(ids(range(41)));
    expect([...heardBy]).toEqual(['a', 'b']);
  });

  testAlone(
    'are consumed by the next replica when one was suspended for longer than its lease (guarantees §8)',
    async ({ shop, publish, effectsOf, streams, takeLease }) => {
      let goOn: () => void = () => undefined;
      const begun = jest.fn();
      shop.consumer({
        ordered: true,
        concurrency: 8,
        handle: async (events: EventEnvelope[], tx: Tx) => {
          begun();
          if (events[0]?.id === sent(0).id) await new Promise<void>((resume) => (goOn = resume));
          await effect(events, tx);
        },
      });
      await streams();
      await publish(0);
      await eventually(() => begun.mock.calls.length === 1);
      await publish(...range(3, 1));
      await eventually(async () => (await (await shop.nc.jetstreamManager()).consumers.info('PUBLIC', 'shop')).num_ack_pending === 4);
      // After a suspension a process receives waiting messages before any timer fires.
      await takeLease('another');
      goOn();
      await effectsOf(1);
      await shop.db.query(`INSERT INTO shop.effects (event_id) VALUES ('of another')`);
      await shop.db.query(`DELETE FROM shop.workers WHERE worker_id = 'another'`);
      expect(await effectsOf(5)).toEqual([sent(0).id, 'of another', ...ids(range(3, 1))]);
    },
  );

  testAlone(
    'are left to the next holder when the lease is lost while earlier ones of their batch fail',
    async ({ shop, publish, effectsOf, streams, takeLease }) => {
      let [begun, fails] = [false, true];
      const pending = async () => (await (await shop.nc.jetstreamManager()).consumers.info('PUBLIC', 'shop')).num_ack_pending;
      shop.consumer({
        ordered: true,
        concurrency: 8,
        handle: async (events: EventEnvelope[], tx: Tx) => {
          // The others wait, so that they share a batch.
          if (events[0]?.id === sent(0).id) {
            begun = true;
            await eventually(async () => (await pending()) === 5);
          } else if (fails && events.length > 1) throw new Error('a deadlock');
          else if (fails) {
            await takeLease('another');
            fails = false;
            throw new Error('the connection was cut');
          }
          await effect(events, tx);
        },
      });
      await streams();
      await publish(0);
      await eventually(() => begun);
      await publish(...range(4, 1));
      await eventually(async () => !fails && (await shop.count('effects')) === 1);
      await shop.db.query(`INSERT INTO shop.effects (event_id) VALUES ('of another')`);
      await shop.db.query(`DELETE FROM shop.workers WHERE worker_id = 'another'`);
      expect(await effectsOf(6)).toEqual([sent(0).id, 'of another', ...ids(range(4, 1))]);
    },
  );

  testAlone('wait for missed ones that the server does not redeliver at once', async ({ shop, replica, publish, effectsOf, streams }) => {
    const { consumers } = await shop.nc.jetstreamManager();
    const info = () => consumers.info('PUBLIC', 'shop');
    const first = await shop.killable({ ordered: true, concurrency: 8, handle: () => new Promise(() => undefined) });
    await streams();
    await publish(...range(3));
    await eventually(async () => (await info()).num_ack_pending === 3);
    await first.kill();
    await publish(...range(3, 3));
    // A busy server does not notice the shorter acknowledgement wait before it ends.
    const update = jest.spyOn(Object.getPrototypeOf(consumers) as typeof consumers, 'update').mockImplementationOnce(info);
    replica('b');
    expect(await effectsOf(6)).toEqual(ids(range(6)));
    expect(update).toHaveBeenCalled();
  });

  test('wait in order while the database is unavailable, and continue when it is back (guarantees §8)', async ({
    shop,
    replica,
    publish,
    effectsOf,
    streams,
  }) => {
    let isDown = false;
    replica('a', { db: shop.dbUnless(() => isDown) });
    replica('b', { db: shop.dbUnless(() => isDown) });
    await streams();
    await publish(0);
    await effectsOf(1);
    isDown = true;
    // Deliveries arrive at different times.
    for (const start of range(10)) await publish(...range(4, 1 + start * 4));
    isDown = false;
    await publish(...range(10, 41));
    expect(await effectsOf(51)).toEqual(ids(range(51)));
  });

  test('keep their order when the connection to JetStream breaks', async ({ shop, replica, publish, effectsOf, streams }) => {
    replica('a');
    replica('b');
    await streams();
    await publish(...range(30));
    await shop.broker.kill();
    await shop.broker.start();
    await eventually(() =>
      publish(30).then(
        () => true,
        () => false,
      ),
    );
    await publish(...range(30, 31));
    // The thirtieth may have been published twice; it takes effect once.
    expect(await effectsOf(61)).toEqual(ids(range(61)));
  });

  for (const [which, statement, before] of [
    ['the first claim', /INSERT INTO shop\.consumer_leases/, []],
    ["the claim of a dead worker's lease", /UPDATE shop\.consumer_leases/, [`INSERT INTO shop.consumer_leases VALUES ('shop', 'dead')`]],
  ] as const)
    test(`are pulled when the response to ${which} is lost after its commit`, async ({
      shop,
      replica,
      publish,
      effectsOf,
      losingResponseOf,
    }) => {
      for (const sql of before) await shop.db.query(sql);
      const { db, wasLost } = losingResponseOf(statement);
      await ensureStreams(await shop.nc.jetstreamManager());
      replica('a', { db });
      await publish(0);
      expect(await effectsOf(1)).toEqual(ids([0]));
      expect(wasLost()).toBe(true);
    });

  test('are redelivered by a consumer of an earlier version, or one whose holder died during a redelivery', async ({
    shop,
    replica,
    publish,
    effectsOf,
    streams,
  }) => {
    const replicas = [replica('a')];
    await streams();
    const { consumers } = await shop.nc.jetstreamManager();
    await Promise.all(replicas.map((one) => one.stop()));
    await consumers.update('PUBLIC', 'shop', { ack_wait: 1_000_000, inactive_threshold: 60 * 1e9 });
    replica('b');
    await eventually(async () => {
      const { config } = await consumers.info('PUBLIC', 'shop');
      return config.ack_wait === 30 * 1e9 && config.inactive_threshold === 72 * 3_600 * 1e9;
    });
    await publish(1);
    expect(await effectsOf(1)).toEqual(ids([1]));
  });
});
