import type { EventEnvelope } from '@mgw/contracts';
import type { Tx } from '@mgw/postgres';
import { eventually, oneByOne, sideBySide } from '@mgw/testing';
import { DeadLetters, PermanentFailure, type EventConsumerOptions } from './index';
import { effect, openShop, sent, type Shop } from './shop.fixture';
import { ensureStreams } from './streams';

const range = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);
const ids = (numbers: number[]) => numbers.map((number) => sent(number).id);
const never = () => new Promise<never>(() => undefined);

const test = sideBySide(openShop, (shop) => shop.close());
const testAlone = oneByOne(openShop, (shop) => shop.close());

describe('an event that fails, stalls or kills (guarantees §10, N3)', () => {
  /** Publishes each event as a message of its own. */
  const publish = async (shop: Shop, ...events: EventEnvelope[]) => {
    await eventually(async () => ensureStreams(await shop.nc.jetstreamManager()).then(() => true));
    const jetstream = shop.nc.jetstream();
    await Promise.all(events.map((event) => jetstream.publish('public.message.sent', JSON.stringify(event))));
  };
  const numbers = (shop: Shop, ...all: number[]) => publish(shop, ...all.map((number) => sent(number)));
  const effectsOf = async (shop: Shop, count: number) => {
    await eventually(async () => (await shop.effects()).length >= count);
    return shop.effects();
  };
  const lettersOf = async (shop: Shop, count: number) => {
    const letters = new DeadLetters(shop.db, 'shop');
    await eventually(async () => (await letters.list(100)).total >= count);
    return (await letters.list(100)).deadLetters;
  };
  const has = (events: EventEnvelope[], number: number) => events.some(({ id }) => id === sent(number).id);

  test('delays later events of its key, and no others, when the connection was cut (decision 29b)', async (shop) => {
    let cuts = 2;
    shop.consumer({
      ordered: true,
      concurrency: 4,
      handle: async (events, tx) => {
        await effect(events, tx);
        if (!has(events, 0) || cuts-- <= 0) return;
        await numbers(shop, ...range(20, 1));
        await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
      },
    });
    await numbers(shop, 0);
    expect(await effectsOf(shop, 21)).toEqual(ids(range(21)));
  });

  test('lets other keys pass during its retries, and its own key after it was set aside', async (shop) => {
    shop.consumer({
      ordered: true,
      maxDeliver: 4,
      handle: async (events, tx) => {
        if (events.some(({ id, key }) => key === 'poisoned' && [0, 1].some((number) => id === sent(number).id))) throw new Error('cannot');
        await effect(events, tx);
      },
    });
    await publish(shop, ...range(4).map((number) => sent(number, { key: 'poisoned' })), ...range(4, 10).map((number) => sent(number)));
    expect(await effectsOf(shop, 6)).toEqual(ids([...range(4, 10), 2, 3]));
    // The key's second event gets one attempt.
    expect((await lettersOf(shop, 2)).map(({ event_id, reason }) => [event_id, reason])).toEqual(ids([0, 1]).map((id) => [id, 'cannot']));
    const { consumers } = await shop.nc.jetstreamManager();
    await eventually(async () => (await consumers.info('PUBLIC', 'shop')).num_ack_pending === 0);
  });

  for (const ordered of [false, true])
    test(`is retried as long as it waits in vain for a lock (decision 760; ordered: ${ordered})`, async (shop) => {
      const holder = await shop.db.pool.connect();
      await holder.query('SELECT pg_advisory_lock(1)');
      let attempts = 0;
      shop.consumer({
        ordered,
        maxDeliver: 2,
        handle: async (events, tx) => {
          if (has(events, 0)) {
            attempts += 1;
            await tx.query(`SET LOCAL lock_timeout = '10ms'`);
            await tx.query('SELECT pg_advisory_xact_lock(1)');
          }
          await effect(events, tx);
        },
      });
      await publish(shop, sent(0, { key: 'locked' }), sent(1), sent(2, { key: 'locked' }));
      expect((await effectsOf(shop, 1))[0]).not.toBe(sent(0).id);
      await eventually(() => attempts >= 4);
      await holder.query('SELECT pg_advisory_unlock(1)');
      holder.release();
      expect((await effectsOf(shop, 3)).toSorted()).toEqual(ids(range(3)));
      expect(await lettersOf(shop, 0)).toEqual([]);
    });

  for (const ordered of [false, true])
    test(`goes to the dead letters at once after a permanent failure (ordered: ${ordered})`, async (shop) => {
      let attempts = 0;
      shop.consumer({
        ordered,
        handle: async (events, tx) => {
          if (events.length === 1 && has(events, 1)) attempts += 1;
          if (has(events, 1)) throw new PermanentFailure('it names nobody');
          await effect(events, tx);
        },
      });
      await numbers(shop, ...range(5));
      expect((await effectsOf(shop, 4)).sort()).toEqual(ids([0, 2, 3, 4]));
      expect(await lettersOf(shop, 1)).toMatchObject([{ event_id: sent(1).id, reason: 'it names nobody' }]);
      expect(attempts).toBe(1);
    });

  for (const [name, options] of [
    ['shared', {}],
    ['ordered', { ordered: true }],
    ['ordered, in a statement', { ordered: true, singleStatement: true, idempotent: true }],
  ] satisfies [string, Partial<EventConsumerOptions>][])
    testAlone(`ends at the deadline of its handler, and the others continue (${name})`, async (shop) => {
      shop.consumer({
        ...options,
        handleWithinMs: 300,
        maxDeliver: 3,
        handle: async (events: EventEnvelope[], tx: Tx) => {
          if (has(events, 2)) return never();
          await effect(events, tx);
        },
      });
      await publish(shop, ...range(6).map((number) => sent(number, { key: `conversation:${number}` })));
      expect((await effectsOf(shop, 5)).sort()).toEqual(ids([0, 1, 3, 4, 5]));
      expect(await lettersOf(shop, 1)).toMatchObject([{ event_id: sent(2).id, reason: 'took longer than 300 ms' }]);
    });

  for (const [name, ordered] of [
    ['shared', false],
    ['ordered', true],
  ] as const)
    test(`is set aside after it killed three processes, its neighbours are handled, and it can be replayed (${name})`, async (shop) => {
      let isPoison = true;
      let begun = 0;
      const options = {
        ordered,
        concurrency: 8,
        handle: async (events: EventEnvelope[], tx: Tx) => {
          if (isPoison && has(events, 3)) {
            begun += 1;
            return never();
          }
          await effect(events, tx);
        },
      };
      await shop.publish(...range(8));
      shop.relay();
      for (const death of range(3, 1)) {
        const { kill } = await shop.killable(options);
        await eventually(() => begun === death);
        await kill();
      }
      shop.consumer(options);
      expect((await effectsOf(shop, 7)).sort()).toEqual(ids([0, 1, 2, 4, 5, 6, 7]));
      const [letter] = await lettersOf(shop, 1);
      expect(letter).toMatchObject({ event_id: sent(3).id, reason: 'handling it ended the process 3 times' });
      expect(begun).toBe(3);
      await eventually(async () => (await shop.count('event_attempts')) === 0);
      isPoison = false;
      await new DeadLetters(shop.db, 'shop').requestReplay('all');
      expect(await effectsOf(shop, 8)).toContain(sent(3).id);
    });

  test('is replayed at most three times when its replay kills the process', async (shop) => {
    const letters = new DeadLetters(shop.db, 'shop');
    await letters.add({ consumer: 'shop', subject: 'public.message.sent', body: JSON.stringify(sent(1)), reason: 'cannot', attempts: 3 });
    await letters.requestReplay('all');
    let begun = 0;
    const handle = () => {
      begun += 1;
      return never();
    };
    for (const death of range(3, 1)) {
      const { kill } = await shop.killable({ handle });
      await eventually(() => begun === death);
      await kill();
    }
    shop.consumer({ handle });
    await eventually(async () => (await letters.list(1)).deadLetters[0]?.replay_requested === false);
    expect((await letters.list(1)).deadLetters).toMatchObject([{ reason: 'replaying it ended the process three times' }]);
    expect(begun).toBe(3);
  });

  for (const ordered of [false, true])
    test(`leaves a dead replica: another one handles its pending events (ordered: ${ordered})`, async (shop) => {
      let begun = 0;
      const first = await shop.killable({ ordered, concurrency: 8, handle: () => ((begun += 1), never()) });
      await numbers(shop, 0);
      await eventually(() => begun === 1);
      await numbers(shop, ...range(30, 1));
      await first.kill();
      shop.consumer({ ordered, concurrency: 8 });
      const effects = await effectsOf(shop, 31);
      expect(ordered ? effects : [...effects].sort()).toEqual(ordered ? ids(range(31)) : ids(range(31)).sort());
    });
});

describe('bytes of events that a consumer holds (guarantees §10, N1)', () => {
  test('are at most two megabytes, or one larger message, and every event is handled', async (shop) => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resume) => (release = resume));
    const batches: number[] = [];
    shop.consumer({
      ordered: true,
      handle: async (events, tx) => {
        batches.push(events.length);
        await released;
        await effect(events, tx);
      },
    });
    const { consumers } = await shop.nc.jetstreamManager();
    await eventually(async () => consumers.info('PUBLIC', 'shop').catch(() => false));
    const publish = async (number: number, bytes: number) =>
      shop.nc.jetstream().publish('public.message.sent', JSON.stringify({ ...sent(number), filler: 'x'.repeat(bytes) }));
    for (const number of range(12)) await publish(number, 400_000);
    await publish(12, 5_000_000);
    for (const number of range(12, 13)) await publish(number, 900_000);
    await eventually(() => batches.length > 0);
    await eventually(async () => (await consumers.info('PUBLIC', 'shop')).num_ack_pending > 1);
    release();
    let most = 0;
    await eventually(async () => {
      most = Math.max(most, (await consumers.info('PUBLIC', 'shop')).num_ack_pending);
      return (await shop.effects()).length === 25;
    });
    expect(await shop.effects()).toEqual(ids(range(25)));
    expect([most <= 5, Math.max(...batches)]).toEqual([true, 1]);
  });
});
