import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ConsumerAPI, ConsumerInfo, JetStreamClient } from 'nats';
import { createLogger } from '@mgw/telemetry';
import { eventually } from '@mgw/testing';
import { EventTail, type TailedEvent } from './index';
import { FollowerDroppedError, type TailStart } from './tail';
import { ensureStreams } from './streams';
import { openShop, sent, type Shop } from './shop.fixture';

describe('the live tail of events (spec §10)', () => {
  let shop: Shop;
  let tail: EventTail;
  let consumers: ConsumerAPI;
  beforeEach(async () => {
    shop = await openShop();
    const manager = await shop.nc.jetstreamManager();
    await ensureStreams(manager);
    ({ consumers } = manager);
    tail = open();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await tail.close();
    await shop.close();
  });

  const open = (options: { maxBacklogBytes?: number } = {}) =>
    new EventTail({ nc: shop.nc, logger: createLogger('events', 'silent'), stream: 'PUBLIC', subject: 'public.>', ...options });
  /** Publishes the events as one message. */
  const publish = (...numbers: number[]) =>
    shop.nc.jetstream().publish('public.message.sent', JSON.stringify(numbers.map((number) => sent(number))));
  const follow = async (after: number | null) => {
    const received: TailedEvent[] = [];
    await tail.follow(after, (tailed) => void received.push(tailed));
    return received;
  };
  /** The server's record of each subscription's place in the stream. */
  const places = () => consumers.list('PUBLIC').next();
  const numbers = (received: TailedEvent[]) => received.map(({ event }) => Number(event.id.split('.').at(-1)));
  const receives = (received: TailedEvent[], ...expected: number[]) =>
    eventually(() => received.length >= expected.length).then(() => expect(numbers(received)).toEqual(expected));

  it('delivers every event of a message once and in order', async () => {
    const received = await follow(null);
    await publish(1, 2, 3);
    await publish(4);
    await receives(received, 1, 2, 3, 4);
  });

  it('resumes after any event, also within a message, and continues live', async () => {
    const first = await follow(null);
    await publish(1, 2, 3);
    await publish(4, 5);
    await receives(first, 1, 2, 3, 4, 5);
    for (const [seen, { position }] of first.entries()) {
      const received = await follow(position);
      expect(numbers(received)).toEqual([1, 2, 3, 4, 5].slice(seen + 1));
    }
    const all = await follow(0);
    await publish(6, 7);
    await receives(all, 1, 2, 3, 4, 5, 6, 7);
  });

  it('decision 667: reports where a follower begins, and whether the stream still has what follows', async () => {
    await publish(1, 2);
    await publish(3, 4);
    const start = async (after: number | null) => {
      const order: (TailStart | number)[] = [];
      const stop = await tail.follow(
        after,
        ({ event }) => order.push(Number(event.id.split('.').at(-1))),
        (begun) => order.push(begun),
      );
      stop();
      return order;
    };
    const [begun] = (await start(null)) as [TailStart];
    expect(begun.isComplete).toBe(true);
    await publish(5);
    expect(await start(begun.position)).toEqual([begun, 5]);
    const first = begun.position - (begun.position % 1) - 1;
    expect(await start(first)).toEqual([{ position: first, isComplete: true }, 2, 3, 4, 5]);
    await (await shop.nc.jetstreamManager()).streams.purge('PUBLIC', { seq: first + 2 });
    expect(await start(first)).toEqual([{ position: first + 1, isComplete: false }, 5]);
    expect(await start(begun.position)).toEqual([begun, 5]);
    expect(await start(first + 100)).toEqual([{ position: first + 2, isComplete: false }]);
  });

  it('guarantees N1: catches up with a bounded number of bytes, and reports that older events are missing', async () => {
    const large = 'x'.repeat(900_000);
    for (let number = 0; number < 50; number++)
      await shop.nc.jetstream().publish('public.message.sent', JSON.stringify(sent(number, { text: large })));
    let begun: TailStart | undefined;
    const received: number[] = [];
    const onEvent = ({ event }: TailedEvent) => void received.push(Number(event.id.split('.').at(-1)));
    (await tail.follow(0, onEvent, (start) => (begun = start)))();
    expect(begun?.isComplete).toBe(false);
    expect(received.at(-1)).toBe(49);
    expect(received.length * large.length).toBeLessThan(40_000_000);
    expect(received.length * large.length).toBeGreaterThan(30_000_000);
  });

  it('skips events of unknown types, also at the end of the stream', async () => {
    await publish(1);
    await shop.nc.jetstream().publish('public.of.the.future', '{}');
    expect(numbers(await follow(0))).toEqual([1]);
  });

  it('stops catching up when the reader is gone', async () => {
    for (const number of Array.from({ length: 100 }).keys()) await publish(number);
    const received: TailedEvent[] = [];
    const stop = await tail.follow(0, (tailed) => received.push(tailed) < 3);
    stop();
    expect(numbers(received)).toEqual([0, 1, 2]);
  });

  it('skips messages without an event of the business while it catches up, and continues live', async () => {
    const ofBusiness = (business_id: number, number: number) => ({ ...sent(number), business_id });
    const publishOf = (...events: object[]) => shop.nc.jetstream().publish('public.message.sent', JSON.stringify(events));
    await publishOf(ofBusiness(7, 1), ofBusiness(8, 2));
    await publishOf(ofBusiness(8, 3));
    await publishOf(ofBusiness(8, 4), ofBusiness(7, 5));
    const received: TailedEvent[] = [];
    await tail.follow(0, (tailed) => void received.push(tailed), undefined, { businessId: 7 });
    expect(numbers(received)).toEqual([1, 2, 4, 5]);
    await publishOf(ofBusiness(7, 6));
    await receives(received, 1, 2, 4, 5, 6);
  });

  it('holds no events of other businesses for a follower that catches up (guarantees §10, N2)', async () => {
    const small = open({ maxBacklogBytes: 2_000 });
    await small.follow(null, () => undefined);
    const following = small.follow(0, () => undefined, undefined, { businessId: 7 });
    const caughtUp = expect(following).resolves.toBeDefined();
    await Promise.all(Array.from({ length: 20 }, (_, number) => publish(number)));
    await caughtUp;
    await small.close();
  });

  it('catches up with a stream whose last message an erasure has deleted', async () => {
    await publish(1);
    const { seq } = await publish(2);
    await (await shop.nc.jetstreamManager()).streams.deleteMessage('PUBLIC', seq);
    const received = await follow(0);
    await publish(3);
    await receives(received, 1, 3);
  });

  it('ends at once for a reader whose last event an erasure has deleted, and continues live', async () => {
    await publish(1);
    const { seq } = await publish(2);
    await (await shop.nc.jetstreamManager()).streams.deleteMessage('PUBLIC', seq);
    const received = await follow(seq);
    expect(received).toEqual([]);
    await publish(3);
    await receives(received, 3);
  });

  it.each(['before', 'after'])(
    'ends a catch-up when the reader disconnects %s its subscription, also if no message arrives',
    async (when) => {
      await publish(1);
      const { seq } = await publish(2);
      await (await shop.nc.jetstreamManager()).streams.deleteMessage('PUBLIC', seq);
      const jetstream = Object.getPrototypeOf(shop.nc.jetstream()) as JetStreamClient;
      const { subscribe } = jetstream;
      const leaving = new AbortController();
      jest.spyOn(jetstream, 'subscribe').mockImplementation(async function (this: JetStreamClient, ...asked) {
        const subscription = await subscribe.apply(this, asked);
        // An erasure deletes the last message after the server has counted it.
        (subscription as unknown as { info: { last: { num_pending: number } } }).info.last.num_pending += 1;
        return subscription;
      });
      const leave = when === 'before' ? () => leaving.abort() : () => setTimeout(() => leaving.abort(), 100);
      await expect(tail.follow(seq, () => undefined, leave, { gone: leaving.signal })).rejects.toThrow(FollowerDroppedError);
    },
  );

  it('drops a follower whose backlog is full while it catches up, and lets it resume where it was (guarantees §10, N1)', async () => {
    const small = open({ maxBacklogBytes: 2_000 });
    const watching: TailedEvent[] = [];
    await small.follow(null, (tailed) => void watching.push(tailed));
    const dropped: TailedEvent[] = [];
    const following = small.follow(0, (tailed) => void dropped.push(tailed));
    const refused = expect(following).rejects.toThrow(FollowerDroppedError);
    const all = Array.from({ length: 20 }, (_, number) => number);
    await Promise.all(all.map((number) => publish(number)));
    await refused;
    await receives(watching, ...all);
    const resumed = [...dropped];
    await small.follow(dropped.at(-1)?.position ?? 0, (tailed) => void resumed.push(tailed));
    await receives(resumed, ...all);
    await small.close();
  });

  it('continues after JetStream lost its store, for present and new followers (guarantees §8)', async () => {
    const received = await follow(null);
    for (const number of [1, 2, 3, 4, 5, 6]) await publish(number);
    await receives(received, 1, 2, 3, 4, 5, 6);
    const seen = received.at(-1)?.position ?? 0;
    await shop.broker.kill();
    shop.broker.wipe();
    await shop.broker.start();
    await eventually(async () => ensureStreams(await shop.nc.jetstreamManager()).then(() => true));
    await publish(7, 8);
    await receives(received, 1, 2, 3, 4, 5, 6, 7, 8);
    const [fresh, back] = [await follow(null), await follow(seen)];
    await publish(9);
    await receives(fresh, 9);
    await receives(back, 9);
    await receives(received, 1, 2, 3, 4, 5, 6, 7, 8, 9);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['NATS restarted with its store', () => shop.broker.kill().then(() => shop.broker.start())],
    ['the server lost its place', async () => consumers.delete('PUBLIC', (await places())[0]?.name ?? '')],
  ])('repeats no event after %s, also if none arrived before', async (_, interrupt) => {
    for (const number of [1, 2, 3]) await publish(number);
    const received = await follow(null);
    const { position } = tail;
    const [before] = await places();
    await interrupt();
    const reads = (place: ConsumerInfo) => place.name !== before?.name && place.num_pending === 0;
    await eventually(async () => (await places()).some(reads));
    // Messages that the server has sent arrive before this response.
    await shop.nc.flush();
    expect(tail.position).toBe(position);
    const late = await follow(null);
    await publish(4);
    await receives(late, 4);
    await receives(received, 4);
  });

  it('continues after the last event when NATS restarts, without reading the stream again', async () => {
    for (const number of [1, 2, 3]) await publish(number);
    await follow(null);
    const [before] = await places();
    await shop.broker.kill();
    await shop.broker.start();
    const after = await eventually(async () => (await places()).find(({ name }) => name !== before?.name));
    expect(after.config.opt_start_seq).toBe(4);
  });

  it('releases a follower that could not start', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await follow(null);
    await shop.broker.kill();
    const begin = async () => {
      const onEvent = () => undefined;
      await expect(tail.follow(1, onEvent)).rejects.toThrow();
      return new WeakRef(onEvent);
    };
    const gone = await begin();
    await eventually(() => {
      collect();
      return gone.deref() === undefined;
    });
  });
});
