import { eventually, oneByOne, sideBySide } from '@mgw/testing';
import { appendToOutbox } from './index';
import { effect, openShop, sent, type Shop } from './shop.fixture';

const range = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);
const ids = (numbers: number[]) => numbers.map((number) => sent(number).id);

const test = sideBySide(openShop, (shop) => shop.close());
const testAlone = oneByOne(openShop, (shop) => shop.close());

describe('events, from the outbox to the effect (guarantees §4)', () => {
  const allEffects = async (shop: Shop, numbers: number[], timeoutMs = 60_000) => {
    await eventually(async () => (await shop.effects()).length >= numbers.length, { timeoutMs });
    expect((await shop.effects()).sort()).toEqual(ids(numbers).sort());
  };

  test('take effect once and in order', async (shop) => {
    shop.relay();
    shop.consumer();
    await shop.publish(...range(300));
    await allEffects(shop, range(300));
    expect(await shop.effects()).toEqual(ids(range(300)));
    await eventually(async () => (await shop.count('outbox WHERE published_at IS NULL')) === 0);
  });

  test('share messages under load, and a single one has its id as message id', async (shop) => {
    const streams = (await shop.nc.jetstreamManager()).streams;
    await shop.publish(...range(200));
    const relay = shop.relay({ pollMs: 60_000 });
    await eventually(async () => (await shop.count('outbox WHERE published_at IS NULL')) === 0);
    expect((await streams.info('PUBLIC')).state.messages).toBe(4);
    await shop.commitAndPublish(relay, 200);
    const alone = await eventually(
      async () => (await streams.info('PUBLIC')).state.messages === 5 && streams.getMessage('PUBLIC', { seq: 5 }),
    );
    expect(alone.header.get('Nats-Msg-Id')).toBe(sent(200).id);
    shop.consumer({ concurrency: 50 });
    await allEffects(shop, range(201));
    expect(await shop.effects()).toEqual(ids(range(201)));
    const consumers = (await shop.nc.jetstreamManager()).consumers;
    await eventually(async () => (await consumers.info('PUBLIC', 'shop')).ack_floor.stream_seq === 5);
  });

  test('are not published when their transaction fails', async (shop) => {
    shop.relay();
    shop.consumer();
    await expect(
      shop.db.transaction(async (tx) => {
        await appendToOutbox(tx, 'shop', [sent(1)]);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await shop.publish(2);
    await allEffects(shop, [2]);
  });

  test('take effect once with two relays and two consumers', async (shop) => {
    for (const relay of [shop.relay(), shop.relay()]) relay.wake();
    shop.consumer();
    shop.consumer();
    for (const start of range(20)) await shop.publish(...range(20, start * 20));
    await allEffects(shop, range(400));
  });

  test('wait in the outbox while the broker is down, and are published when it is back', async (shop) => {
    shop.relay();
    shop.consumer();
    await shop.publish(1);
    await allEffects(shop, [1]);
    await shop.broker.kill();
    await shop.publish(2, 3);
    await shop.broker.start();
    await allEffects(shop, [1, 2, 3]);
  });

  test('are published right after their commit, behind older ones', async (shop) => {
    const relay = shop.relay({ pollMs: 60_000 });
    shop.consumer();
    await shop.publish(1);
    relay.wake();
    await allEffects(shop, [1]);
    await shop.commitAndPublish(relay, 2);
    await allEffects(shop, [1, 2]);
    // The relay gets no notice of event 3, because NATS is down. Later events must not overtake it.
    await shop.broker.kill();
    await shop.commitAndPublish(relay, 3);
    await shop.commitAndPublish(relay, 4, 5);
    await shop.broker.start();
    await shop.commitAndPublish(relay, 6);
    await allEffects(shop, range(6, 1));
    expect(await shop.effects()).toEqual(ids(range(6, 1)));
    await relay.stop();
    expect(await shop.count('outbox WHERE published_at IS NULL')).toBe(0);
  });

  test('are published by a relay that stops right after their commit', async (shop) => {
    const relay = shop.relay({ pollMs: 60_000 });
    shop.consumer();
    await shop.commitAndPublish(relay, 0);
    relay.wake();
    await allEffects(shop, [0]);
    await shop.commitAndPublish(relay, 1, 2);
    await relay.stop();
    expect(await shop.count('outbox WHERE published_at IS NULL')).toBe(0);
    await allEffects(shop, [0, 1, 2]);
  });

  test('are published once when they commit during a reading of the outbox', async (shop) => {
    const relay = shop.relay({ pollMs: 20 });
    const received: string[] = [];
    shop.consumer({ idempotent: true, handle: async (events) => void received.push(...events.map(({ id }) => id)) });
    for (const start of range(60)) {
      relay.wake();
      await Promise.all(range(4, start * 4).map((number) => shop.commitAndPublish(relay, number)));
    }
    await eventually(() => received.length >= 240);
    await eventually(async () => (await shop.count('outbox WHERE published_at IS NULL')) === 0);
    expect(received.sort()).toEqual(ids(range(240)).sort());
  });

  test('are published at first only by the process that wrote them, unless it reports them', async (shop) => {
    const relay = shop.relay({ pollMs: 200 });
    shop.consumer();
    await shop.publish(0);
    await allEffects(shop, [0]);
    await shop.db.transaction(async (tx) => {
      await appendToOutbox(tx, 'shop', [sent(1), sent(2)]);
      await tx.query(`UPDATE shop.outbox SET created_at = now() - interval '1 hour' WHERE event_id = $1`, [sent(1).id]);
      // Keeps the event new, however long the test takes.
      await tx.query(`UPDATE shop.outbox SET created_at = now() + interval '1 hour' WHERE event_id = $1`, [sent(2).id]);
    });
    await allEffects(shop, [0, 1]);
    await eventually(async () => (await shop.count('outbox WHERE published_at IS NULL')) === 1);
    await shop.db.query(`UPDATE shop.outbox SET created_at = now() WHERE event_id = $1`, [sent(2).id]);
    relay.wake();
    await allEffects(shop, [0, 1, 2]);
  });

  testAlone('of a dead replica are published, even while another one is under load', async (shop) => {
    const relay = shop.relay();
    shop.consumer();
    await shop.publish(0);
    await allEffects(shop, [0]);
    // Enough that the relay always finds some in memory, and few enough that it accepts them all.
    const handing = setInterval(() => relay.publishCommitted(Array.from({ length: 40 }, () => sent(0))), 4);
    try {
      await shop.publish(1);
      await allEffects(shop, [0, 1]);
    } finally {
      clearInterval(handing);
    }
  });

  test('are published again when another replica detected the lost store first', async (shop) => {
    const relay = shop.relay({ pollMs: 60_000 });
    shop.consumer();
    await shop.publish(1);
    relay.wake();
    await allEffects(shop, [1]);
    await eventually(async () => (await shop.count('outbox WHERE published_at IS NOT NULL')) === 1);
    await shop.db.query('UPDATE shop.outbox_streams SET epoch = epoch + 1');
    await shop.commitAndPublish(relay, 2);
    await allEffects(shop, [1, 2]);
    await relay.stop();
    expect(await shop.count('outbox WHERE published_at IS NULL')).toBe(1);
  });

  test('are published again after the broker lost its store, to a consumer that had not received them', async (shop) => {
    const relay = shop.relay();
    await shop.publish(...range(5));
    await eventually(async () => (await shop.count('outbox WHERE published_at IS NOT NULL')) === 5);
    await relay.stop();
    await shop.broker.kill();
    shop.broker.wipe();
    await shop.broker.start();
    shop.relay();
    shop.consumer();
    await allEffects(shop, range(5));
  });

  test('have no second effect when the store is lost after their handling, and later ones still arrive', async (shop) => {
    shop.relay();
    shop.consumer();
    await shop.publish(...range(5));
    await allEffects(shop, range(5));
    await shop.broker.kill();
    shop.broker.wipe();
    await shop.broker.start();
    await shop.publish(5);
    await allEffects(shop, range(6));
  });

  test('wait in the outbox while a stream is full, until consumers have made room', async (shop) => {
    const { ensureStreams } = await import('./streams');
    await ensureStreams(await shop.nc.jetstreamManager(), { maxBytes: 65_536 });
    const first = shop.consumer({ concurrency: 8 });
    await eventually(async () => (await (await shop.nc.jetstreamManager()).consumers.info('PUBLIC', 'shop')).name === 'shop');
    await first.stop();
    shop.relay();
    await shop.publish(...range(400));
    await eventually(async () => (await shop.count('outbox WHERE published_at IS NOT NULL')) > 0);
    expect(await shop.count('outbox WHERE published_at IS NULL')).toBeGreaterThan(0);
    shop.consumer({ concurrency: 8 });
    await allEffects(shop, range(400));
  });

  test('are redelivered when they fail, delay no others, and go to the dead letters', async (shop) => {
    shop.relay();
    shop.consumer({
      maxDeliver: 2,
      handle: async (events, tx) => {
        if (events.some(({ id }) => id === sent(3).id)) throw new Error('cannot');
        await effect(events, tx);
      },
    });
    await shop.publish(...range(6));
    await allEffects(shop, [0, 1, 2, 4, 5]);
    const letters = await eventually(async () => {
      const rows = await shop.db.query<{ reason: string; attempts: number }>('SELECT reason, attempts FROM shop.dead_letters');
      return rows.length > 0 && rows;
    });
    expect(letters).toEqual([{ reason: 'cannot', attempts: 2 }]);
  });

  test('get all their attempts after an outage: failures of the database do not count (guarantees §8)', async (shop) => {
    let [isDown, failures] = [true, 0];
    shop.relay();
    shop.consumer({
      db: shop.dbUnless(() => isDown),
      maxDeliver: 3,
      handle: async (events, tx) => {
        if (++failures < 3) throw new Error('canceling statement due to statement timeout');
        await effect(events, tx);
      },
    });
    await shop.publish(1);
    await eventually(async () => {
      const { consumers } = await shop.nc.jetstreamManager();
      return (await consumers.info('PUBLIC', 'shop')).delivered.consumer_seq > 3;
    });
    isDown = false;
    await eventually(async () => (await shop.count('dead_letters')) + (await shop.effects()).length > 0);
    expect(await shop.count('dead_letters')).toBe(0);
    expect(failures).toBe(3);
  });

  test('go to the dead letters at once if they violate the contract', async (shop) => {
    shop.relay();
    shop.consumer();
    await shop.publish(1);
    await allEffects(shop, [1]);
    const jetstream = shop.nc.jetstream();
    // One letter per event, so that a version that knows the subject can replay each.
    await jetstream.publish('public.of.the.future', '[{"id":"future:1"},{"id":"future:2"}]');
    await jetstream.publish('public.message.sent', 'not json');
    await jetstream.publish('public.message.sent', '[]');
    // One invalid event between two valid ones.
    await jetstream.publish('public.message.sent', JSON.stringify([sent(2), { ...sent(9), data: {} }, sent(3)]));
    await allEffects(shop, [1, 2, 3]);
    await eventually(async () => (await shop.count('dead_letters')) === 5);
    expect(await shop.count(`dead_letters WHERE body LIKE '{"id":"${sent(9).id}"%'`)).toBe(1);
    const consumers = (await shop.nc.jetstreamManager()).consumers;
    await eventually(async () => (await consumers.info('PUBLIC', 'shop')).num_ack_pending === 0);
  });
});
