import { eventually } from '@mgw/testing';
import { openShop, sent, type Shop } from './shop.fixture';

/** Guarantees §10, N4. */
describe('events while the database has no room', () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await openShop();
    await shop.db.query('CREATE SEQUENCE shop.refusals');
    await shop.db.query(`CREATE FUNCTION shop.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM nextval('shop.refusals'); RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$`);
    await shop.db.query('CREATE TRIGGER full_disk BEFORE INSERT ON shop.effects FOR EACH ROW EXECUTE FUNCTION shop.refuse()');
  });
  afterEach(() => shop.close());

  it.each([false, true])(
    'are handled when there is room again, however often they failed, and none is set aside (ordered: %s)',
    async (ordered) => {
      shop.relay();
      shop.consumer({ ordered, maxDeliver: 2 });
      await shop.publish(1, 2, 3);
      const refusals = async () => Number((await shop.db.query<{ n: string }>('SELECT last_value AS n FROM shop.refusals'))[0]?.n);
      await eventually(async () => (await refusals()) >= 5, { timeoutMs: 50_000 });
      expect(await shop.count('dead_letters')).toBe(0);
      await shop.db.query('DROP TRIGGER full_disk ON shop.effects');
      await eventually(async () => (await shop.effects()).length === 3, { timeoutMs: 50_000 });
      expect(await shop.effects()).toEqual([1, 2, 3].map((n) => sent(n).id));
      expect(await shop.count('dead_letters')).toBe(0);
    },
  );

  it('are published while the relay cannot mark them, and marked when the database has room', async () => {
    await shop.db.query('DROP TRIGGER full_disk ON shop.effects');
    await shop.db.query('CREATE TRIGGER full_disk BEFORE UPDATE ON shop.outbox FOR EACH ROW EXECUTE FUNCTION shop.refuse()');
    shop.relay();
    shop.consumer();
    await shop.publish(1, 2, 3);
    await eventually(async () => (await shop.effects()).length === 3);
    expect(await shop.count('outbox WHERE published_at IS NULL')).toBe(3);
    await shop.db.query('DROP TRIGGER full_disk ON shop.outbox');
    await eventually(async () => (await shop.count('outbox WHERE published_at IS NULL')) === 0, { timeoutMs: 50_000 });
    expect(await shop.effects()).toEqual([1, 2, 3].map((n) => sent(n).id));
  });
});
