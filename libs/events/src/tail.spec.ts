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
  const publish = (...numbers: number[]) => shop.nc.jetstream().publish('public.message.sent', JSON.stringify(numbers.map(sent)));
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
    for (const [seen, { place }] of first.entries()) {
      const heard = await follow(place);
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
});
