import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLogger } from '@mgw/telemetry';
import { eventually } from '@mgw/testing';
import { EventTail, type TailedEvent } from './index';
import { ensureStreams } from './streams';
import { openShop, sent, type Shop } from './shop.fixture';

describe('the tail of events (product §2: the live tail)', () => {
  let shop: Shop;
  let tail: EventTail;
  beforeEach(async () => {
    shop = await openShop();
    await ensureStreams(await shop.nc.jetstreamManager());
    tail = new EventTail({ nc: shop.nc, logger: createLogger('events', 'silent'), stream: 'PUBLIC', subject: 'public.>' });
  });
  afterEach(async () => {
    await tail.close();
    await shop.close();
  });

  /** As one message. */
  const publish = (...numbers: number[]) =>
    shop.nc.jetstream().publish('public.message.sent', JSON.stringify(numbers.map((number) => sent(number))));
  const follow = async (after: number | null) => {
    const heard: TailedEvent[] = [];
    await tail.follow(after, (tailed) => void heard.push(tailed));
    return heard;
  };
  const numbers = (heard: TailedEvent[]) => heard.map(({ event }) => Number(event.id.split('.').at(-1)));
  const hears = (heard: TailedEvent[], ...expected: number[]) =>
    eventually(() => heard.length >= expected.length).then(() => expect(numbers(heard)).toEqual(expected));

  it('every event of a message is heard once and in order', async () => {
    const heard = await follow(null);
    await publish(1, 2, 3);
    await publish(4);
    await hears(heard, 1, 2, 3, 4);
  });

  it('who goes on after any event hears what came after it, also in the same message, and what comes then', async () => {
    const first = await follow(null);
    await publish(1, 2, 3);
    await publish(4, 5);
    await hears(first, 1, 2, 3, 4, 5);
    for (const [seen, { position }] of first.entries()) {
      const heard = await follow(position);
      expect(numbers(heard)).toEqual([1, 2, 3, 4, 5].slice(seen + 1));
    }
    const all = await follow(0);
    await publish(6, 7);
    await hears(all, 1, 2, 3, 4, 5, 6, 7);
  });

  it('what it does not understand is passed over, also as the last of the stream', async () => {
    await publish(1);
    await shop.nc.jetstream().publish('public.of.the.future', '{}');
    expect(numbers(await follow(0))).toEqual([1]);
  });

  it('who goes while what came before is read hears no more of it', async () => {
    for (const number of Array.from({ length: 100 }).keys()) await publish(number);
    const heard: TailedEvent[] = [];
    const stop = await tail.follow(0, (tailed) => heard.push(tailed) < 3);
    stop();
    expect(numbers(heard)).toEqual([0, 1, 2]);
  });

  it('goes on after JetStream has lost its store, for who was there and for who comes then (guarantees §8)', async () => {
    const heard = await follow(null);
    for (const number of [1, 2, 3, 4, 5, 6]) await publish(number);
    await hears(heard, 1, 2, 3, 4, 5, 6);
    const seen = heard.at(-1)?.position ?? 0;
    await shop.broker.kill();
    shop.broker.wipe();
    await shop.broker.start();
    await eventually(async () => ensureStreams(await shop.nc.jetstreamManager()).then(() => true), { timeoutMs: 20_000 });
    await publish(7, 8);
    await hears(heard, 1, 2, 3, 4, 5, 6, 7, 8);
    const [fresh, back] = [await follow(null), await follow(seen)];
    await publish(9);
    await hears(fresh, 9);
    await hears(back, 9);
    await hears(heard, 1, 2, 3, 4, 5, 6, 7, 8, 9);
  });

  it('lets go of who could not begin', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await follow(null);
    await shop.broker.kill();
    const begin = async () => {
      const hear = () => undefined;
      await expect(tail.follow(1, hear)).rejects.toThrow();
      return new WeakRef(hear);
    };
    const gone = await begin();
    await eventually(() => {
      collect();
      return gone.deref() === undefined;
    });
  }, 30_000);
});
