import { setTimeout as pause } from 'node:timers/promises';
import { AiReplied, MessageSent, type EventEnvelope, type EventType } from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import { StreamRoom } from './index';
import { openShop, sent, type Shop } from './shop.fixture';
import { ensureStreams, makeRoom } from './streams';

const range = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);

describe('streams at their size limit (guarantees §10, N4)', () => {
  let shop: Shop;
  beforeEach(async () => (shop = await openShop()));
  afterEach(() => shop.close());

  const limited = async (maxBytes: number) => {
    const manager = await shop.nc.jetstreamManager();
    await ensureStreams(manager, { maxBytes });
    return manager;
  };
  const durable = async (name: string, filter?: EventType) =>
    (await shop.nc.jetstreamManager()).consumers.add('PUBLIC', {
      durable_name: name,
      ack_policy: 'explicit' as never,
      max_ack_pending: 10_000,
      ...(filter && { filter_subject: filter.subject }),
    });
  const publish = (subject: string, count: number) =>
    range(count).reduce<Promise<unknown>>((before) => before.then(() => shop.nc.jetstream().publish(subject, 'x')), Promise.resolve());
  const acknowledge = async (name: string, count: number) => {
    const consumer = await shop.nc.jetstream().consumers.get('PUBLIC', name);
    for (let i = 0; i < count; i++) await (await consumer.next())?.ackAck();
  };
  const first = async () => (await (await shop.nc.jetstreamManager()).streams.info('PUBLIC')).state.first_seq;

  it('lose no acknowledged event: publishers stop before the limit', async () => {
    const manager = await limited(200_000);
    const jetstream = shop.nc.jetstream();
    let acknowledged = 0;
    const publisher = async (seed: number) => {
      const room = new StreamRoom(shop.nc);
      for (let i = 0, refused = 0; refused < 200; i++) {
        const body = Buffer.alloc(1 + ((i * 37 + seed * 101) % 300));
        const fits = (await room.reserve([{ subject: 'public.message.sent', bytes: body.length }])) > 0;
        const isPublished = fits && (await jetstream.publish('public.message.sent', body).catch(() => undefined));
        if (isPublished) acknowledged += 1;
        else refused += 1;
      }
    };
    await Promise.all([1, 2, 3, 4].map(publisher));
    const { state } = await manager.streams.info('PUBLIC');
    expect([state.first_seq, state.messages]).toEqual([1, acknowledged]);
    expect(state.bytes).toBeGreaterThan(160_000);
  });

  it('name the variable of their size if the store has no room for one', async () => {
    await expect(limited(10 ** 15)).rejects.toThrow('lower NATS_STREAM_MAX_BYTES');
  });

  it('are read once for many messages while they have room', async () => {
    const manager = await limited(10 * 1024 ** 2);
    const info = jest.spyOn(manager.streams, 'info');
    const room = new StreamRoom(Object.assign(Object.create(shop.nc) as typeof shop.nc, { jetstreamManager: async () => manager }));
    const sizes = range(1_000).map(() => ({ subject: 'public.message.sent', bytes: 100 }));
    let reserved = 0;
    while (reserved < sizes.length) reserved += await room.reserve(sizes.slice(reserved));
    expect(info.mock.calls.length).toBeLessThan(10);
  });

  it('are emptied up to the next message that matches a consumer’s filter', async () => {
    const manager = await limited(1024 ** 2);
    await durable('all');
    await durable('sent', MessageSent);
    await durable('idle', AiReplied);
    await publish('public.message.received', 5);
    await acknowledge('all', 5);
    expect([await makeRoom(manager, 'PUBLIC'), await first()]).toEqual([true, 6]);
    await publish('public.message.sent', 3);
    await publish('public.message.received', 3);
    await acknowledge('all', 6);
    // `sent` is stopped: the first message that it wants stays, and those after it.
    expect([await makeRoom(manager, 'PUBLIC'), await first()]).toEqual([false, 6]);
    await acknowledge('sent', 2);
    expect([await makeRoom(manager, 'PUBLIC'), await first()]).toEqual([true, 8]);
    await acknowledge('sent', 1);
    expect([await makeRoom(manager, 'PUBLIC'), await first()]).toEqual([true, 12]);
  });

  it('keep messages that a consumer has not acknowledged', async () => {
    const manager = await limited(1024 ** 2);
    await durable('sent', MessageSent);
    await publish('public.message.received', 2);
    await publish('public.message.sent', 3);
    const consumer = await shop.nc.jetstream().consumers.get('PUBLIC', 'sent');
    const held = await consumer.next();
    await (await consumer.next())?.ackAck();
    expect([held?.seq, await makeRoom(manager, 'PUBLIC'), await first()]).toEqual([3, true, 3]);
  });

  it('recover by themselves: every event arrives when a stopped consumer returns', async () => {
    await limited(400_000);
    await durable('idle', AiReplied);
    await durable('shop');
    const received = new Set<string>();
    const handle = async (events: EventEnvelope[]) => void events.forEach(({ id }) => received.add(id));
    const other = shop.consumer({ durable: 'other', idempotent: true, handle: () => Promise.resolve() });
    const relay = shop.relay();
    for (const start of range(12)) await shop.publish(...range(250, start * 250));
    relay.wake();
    await eventually(async () => {
      const published = await shop.count('outbox WHERE published_at IS NOT NULL');
      await pause(1_000);
      return published > 0 && published === (await shop.count('outbox WHERE published_at IS NOT NULL'));
    });
    expect(await shop.count('outbox WHERE published_at IS NULL')).toBeGreaterThan(500);
    shop.consumer({ idempotent: true, handle });
    await eventually(() => received.size === 3_000);
    expect([...received].sort()).toEqual(
      range(3_000)
        .map((number) => sent(number).id)
        .sort(),
    );
    await eventually(async () => (await shop.count('outbox WHERE published_at IS NULL')) === 0);
    await other.stop();
  });
});
