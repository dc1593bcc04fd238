import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ConsumerInfo, JetStreamClient } from 'nats';
import { createLogger } from '@mgw/telemetry';
import { eventually, oneByOne, sideBySide } from '@mgw/testing';
import { EventTail, type TailedEvent } from './index';
import { FollowerDroppedError, type TailStart } from './tail';
import { ensureStreams } from './streams';
import { openShop, sent } from './shop.fixture';

async function openTail() {
  const shop = await openShop();
  const manager = await shop.nc.jetstreamManager();
  await ensureStreams(manager);
  const { consumers } = manager;
  const open = (options: { maxBacklogBytes?: number } = {}) =>
    new EventTail({ nc: shop.nc, logger: createLogger('events', 'silent'), stream: 'PUBLIC', subject: 'public.>', ...options });
  const tail = open();
  return {
    shop,
    consumers,
    open,
    tail,
    /** Publishes the events as one message. */
    publish: (...numbers: number[]) =>
      shop.nc.jetstream().publish('public.message.sent', JSON.stringify(numbers.map((number) => sent(number)))),
    follow: async (after: number | null) => {
      const received: TailedEvent[] = [];
      await tail.follow(after, (tailed) => void received.push(tailed));
      return received;
    },
    /** The server's record of each subscription's place in the stream. */
    places: () => consumers.list('PUBLIC').next(),
    close: async () => {
      await tail.close();
      await shop.close();
    },
  };
}
type OpenTail = Awaited<ReturnType<typeof openTail>>;

const test = sideBySide(openTail, (opened) => opened.close());
const testAlone = oneByOne(openTail, (opened) => {
  jest.restoreAllMocks();
  return opened.close();
});

describe('the live tail of events (spec §10)', () => {
  const numbers = (received: TailedEvent[]) => received.map(({ event }) => Number(event.id.split('.').at(-1)));
  const receives = (received: TailedEvent[], ...expected: number[]) =>
    eventually(() => received.length >= expected.length).then(() => expect(numbers(received)).toEqual(expected));

  test('delivers every event of a message once and in order', async ({ publish, follow }) => {
    const received = await follow(null);
    await publish(1, 2, 3);
    await publish(4);
    await receives(received, 1, 2, 3, 4);
  });

  test('resumes after any event, also within a message, and continues live', async ({ publish, follow }) => {
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

  test('decision 667: reports where a follower begins, and whether the stream still has what follows', async ({ shop, tail, publish }) => {
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

  test('guarantees N1: catches up with a bounded number of bytes, and reports that older events are missing', async ({ shop, tail }) => {
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

  test('skips events of unknown types, even at the end of the stream', async ({ shop, publish, follow }) => {
    await publish(1);
    await shop.nc.jetstream().publish('public.of.the.future', '{}');
    expect(numbers(await follow(0))).toEqual([1]);
  });

  test('stops catching up when the reader is gone', async ({ tail, publish }) => {
    for (const number of Array.from({ length: 100 }).keys()) await publish(number);
    const received: TailedEvent[] = [];
    const stop = await tail.follow(0, (tailed) => received.push(tailed) < 3);
    stop();
    expect(numbers(received)).toEqual([0, 1, 2]);
  });

  test('skips messages without an event of the business while it catches up, and continues live', async ({ shop, tail }) => {
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

  test('holds no events of other businesses for a follower that catches up (guarantees §10, N2)', async ({ open, publish }) => {
    const small = open({ maxBacklogBytes: 2_000 });
    await small.follow(null, () => undefined);
    const following = small.follow(0, () => undefined, undefined, { businessId: 7 });
    const caughtUp = expect(following).resolves.toBeDefined();
    await Promise.all(Array.from({ length: 20 }, (_, number) => publish(number)));
    await caughtUp;
    await small.close();
  });

  test('catches up with a stream whose last message an erasure has deleted', async ({ shop, publish, follow }) => {
    await publish(1);
    const { seq } = await publish(2);
    await (await shop.nc.jetstreamManager()).streams.deleteMessage('PUBLIC', seq);
    const received = await follow(0);
    await publish(3);
    await receives(received, 1, 3);
  });

  test('ends at once for a reader whose last event an erasure has deleted, and continues live', async ({ shop, publish, follow }) => {
    await publish(1);
    const { seq } = await publish(2);
    await (await shop.nc.jetstreamManager()).streams.deleteMessage('PUBLIC', seq);
    const received = await follow(seq);
    expect(received).toEqual([]);
    await publish(3);
    await receives(received, 3);
  });

  for (const when of ['before', 'after'])
    testAlone(
      `ends a catch-up when the reader disconnects ${when} its subscription, even if no message arrives`,
      async ({ shop, tail, publish }) => {
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

  testAlone(
    'drops a follower whose backlog is full while it catches up, and lets it resume where it was (guarantees §10, N1)',
    async ({ open, publish }) => {
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
    },
  );

  test('continues after JetStream lost its store, for present and new followers (guarantees §8)', async ({ shop, publish, follow }) => {
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

  for (const [what, interrupt] of [
    ['NATS restarted with its store', ({ shop }) => shop.broker.kill().then(() => shop.broker.start())],
    ['the server lost its place', async ({ consumers, places }) => consumers.delete('PUBLIC', (await places())[0]?.name ?? '')],
  ] satisfies [string, (opened: OpenTail) => Promise<unknown>][])
    test(`repeats no event after ${what}, even if none arrived before`, async (opened) => {
      const { shop, tail, publish, follow, places } = opened;
      for (const number of [1, 2, 3]) await publish(number);
      const received = await follow(null);
      const { position } = tail;
      const [before] = await places();
      await interrupt(opened);
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

  test('continues after the last event when NATS restarts, without reading the stream again', async ({ shop, publish, follow, places }) => {
    for (const number of [1, 2, 3]) await publish(number);
    await follow(null);
    const [before] = await places();
    await shop.broker.kill();
    await shop.broker.start();
    const after = await eventually(async () => (await places()).find(({ name }) => name !== before?.name));
    expect(after.config.opt_start_seq).toBe(4);
  });

  testAlone('releases a follower that could not start', async ({ shop, tail, follow }) => {
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
