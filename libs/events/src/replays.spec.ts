import { pruneBatch } from '@mgw/postgres';
import { eventually, oneByOne, sideBySide } from '@mgw/testing';
import { expiredEventRows, DeadLetters, type EventConsumerOptions } from './index';
import { effect, openShop, sent } from './shop.fixture';

const ids = (...numbers: number[]) => numbers.map((number) => sent(number).id);
const jsonOf = (...numbers: number[]) => numbers.map((number) => JSON.stringify(sent(number)));
const EIGHT = [1, 2, 3, 4, 5, 6, 7, 8];

async function openShopWithLetters() {
  const shop = await openShop();
  const letters = new DeadLetters(shop.db, 'shop');
  const listed = async () => (await letters.list(100)).deadLetters;
  return {
    shop,
    letters,
    listed,
    setAside: async (...bodies: string[]) => {
      for (const body of bodies)
        await letters.add({ consumer: 'shop', subject: 'public.message.sent', body, reason: 'cannot', attempts: 10 });
    },
    noneRequested: () => eventually(async () => (await listed()).every(({ replay_requested }) => !replay_requested)),
  };
}

const test = sideBySide(openShopWithLetters, ({ shop }) => shop.close());
const testAlone = oneByOne(openShopWithLetters, ({ shop }) => shop.close());

describe('dead letters that are replayed (guarantees §4)', () => {
  test('are listed with event, reason, attempts and time', async ({ letters, setAside }) => {
    await setAside(...jsonOf(1), 'not an event');
    const { deadLetters: [first, second] = [], total } = await letters.list(10);
    const listedLetter = {
      consumer: 'shop',
      subject: 'public.message.sent',
      reason: 'cannot',
      attempts: 10,
      replay_requested: false,
      at: expect.any(Date),
    };
    expect(first).toEqual({ id: '1', event_id: sent(1).id, business: '1', ...listedLetter });
    expect(second).toEqual({ id: '2', event_id: null, business: null, ...listedLetter });
    expect(await letters.list(1)).toEqual({ deadLetters: [first], total });
    expect([total, await letters.body('1'), await letters.body('3')]).toEqual([2, jsonOf(1)[0], undefined]);
  });

  test('take effect in the order in which they were set aside, if their replay was requested', async ({
    shop,
    letters,
    listed,
    setAside,
  }) => {
    shop.consumer();
    await setAside(...jsonOf(4, 2, 7, 1));
    expect(await letters.requestReplay(['1', '2', '4', '99'])).toEqual(['1', '2', '4']);
    await eventually(async () => (await listed()).length === 1);
    expect(await shop.effects()).toEqual(ids(4, 2, 1));
    expect(await listed()).toMatchObject([{ id: '3', attempts: 10, replay_requested: false }]);
  });

  test('stay when they fail again, with the new reason, and delay no others', async ({
    shop,
    letters,
    listed,
    setAside,
    noneRequested,
  }) => {
    let reason = 'cannot still';
    shop.relay();
    shop.consumer({
      handle: async (events, tx) => {
        await effect(events, tx);
        if (reason !== '' && events.some(({ id }) => id === sent(1).id)) throw new Error(reason);
      },
    });
    await setAside(...jsonOf(1, 2), 'not JSON at all');
    await letters.requestReplay('all');
    await shop.publish(3);
    await noneRequested();
    expect(await listed()).toMatchObject([
      { id: '1', reason: 'cannot still', attempts: 11 },
      { id: '3', reason: 'not JSON', attempts: 11 },
    ]);
    await eventually(async () => (await shop.effects()).length === 2);
    reason = '';
    await letters.requestReplay(['1']);
    await eventually(async () => (await listed()).length === 1);
    expect((await shop.effects()).sort()).toEqual(ids(1, 2, 3));
  });

  for (const [how, options] of [
    ['shared by replicas', {}],
    ['consumed by one replica', { ordered: true }],
    ['consumed by one replica, in a statement', { ordered: true, idempotent: true, singleStatement: true }],
  ] satisfies [string, Partial<EventConsumerOptions>][])
    // An ordered consumer must keep its lease, which a busy process may lose.
    (options.ordered ? testAlone : test)(
      `take effect once when two operators request their replay at once from two replicas (${how})`,
      async ({ shop, letters, listed, setAside }) => {
        const heardBy = new Set<string>();
        for (const name of ['a', 'b'])
          shop.consumer({
            ...options,
            handle: async (events, tx) => {
              heardBy.add(name);
              await effect(events, tx);
            },
          });
        await setAside(...jsonOf(...EIGHT));
        await Promise.all([letters.requestReplay('all'), letters.requestReplay('all'), letters.requestReplay(['3', '4'])]);
        await eventually(async () => (await listed()).length === 0);
        const effects = await shop.effects();
        if (options.ordered) expect([effects, heardBy.size]).toEqual([ids(...EIGHT), 1]);
        else expect(effects.sort()).toEqual(ids(...EIGHT));
      },
    );

  test('have no second effect if the event was handled since, however long ago', async ({ shop, letters, listed, setAside }) => {
    shop.relay();
    const consumer = shop.consumer();
    await shop.publish(1, 2);
    await eventually(async () => (await shop.count('inbox')) === 2);
    await consumer.stop();
    await setAside(...jsonOf(1));
    await shop.db.query(`UPDATE shop.inbox SET handled_at = now() - interval '50 days'`);
    const expired = expiredEventRows('shop', { outboxHours: 72, deadLettersDays: 90 }).find(({ table }) => table === 'shop.inbox');
    expect(expired && (await pruneBatch(shop.db, expired, 100))).toBe(1);
    shop.consumer();
    await letters.requestReplay('all');
    await eventually(async () => (await listed()).length === 0);
    expect(await shop.effects()).toEqual(ids(1, 2));
  });

  test('wait for the database, and for a service that does not run', async ({ shop, letters, listed, setAside }) => {
    let [isDown, tries] = [false, 0];
    await setAside(...jsonOf(1));
    await letters.requestReplay('all');
    shop.consumer({
      db: shop.dbUnless(() => isDown),
      handle: async (events, tx) => {
        if (++tries > 1) return effect(events, tx);
        isDown = true;
        throw new Error('terminating connection due to administrator command');
      },
    });
    await eventually(() => isDown);
    expect(await listed()).toMatchObject([{ reason: 'cannot', attempts: 10, replay_requested: true }]);
    isDown = false;
    await eventually(async () => (await listed()).length === 0);
    expect(await shop.effects()).toEqual(ids(1));
  });

  test('may hold several events of a type that an earlier version did not know', async ({ shop, letters, listed, setAside }) => {
    shop.consumer();
    await setAside(`[${jsonOf(1, 2).join(',')}]`);
    await letters.requestReplay('all');
    await eventually(async () => (await listed()).length === 0);
    expect(await shop.effects()).toEqual(ids(1, 2));
  });

  test('can be discarded', async ({ letters, listed, setAside }) => {
    await setAside(...jsonOf(1, 2));
    expect([await letters.remove(['1', '9']), await listed()]).toEqual([['1'], [expect.objectContaining({ id: '2' })]]);
  });
});
