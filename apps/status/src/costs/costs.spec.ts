import type { Billing, RequestOf, SetRateCard } from '@mgw/contracts';
import { acceptedEvent, startHarness, statusEvent, type Harness } from '@mgw/harness';
import { LogStore } from '../log/log.store';
import { service } from '../main';
import { RecordsStore } from '../records/records.store';
import { CostsStore } from './costs.store';
import { RateCardStore } from './rate-card.store';

const UTILITY: Billing = { billable: true, category: 'utility', type: 'regular' };
const INDIA = '919876543210';

describe('costs', () => {
  let harness: Harness;
  let records: RecordsStore;
  let costs: CostsStore;
  let card: RateCardStore;
  beforeEach(async () => {
    harness = await startHarness(service);
    [records, costs, card] = [new RecordsStore(harness.db), new CostsStore(harness.db), new RateCardStore(harness.db)];
  });
  afterEach(() => harness.close());

  /** A message that reached its recipient. */
  async function delivered(id: string, at: string, { recipient = INDIA, pricing = UTILITY, business = 1, broadcast_id = 7 } = {}) {
    const accepted = acceptedEvent(id, business);
    const event = { ...accepted, at, facts: { ...(accepted.facts as object), broadcast_id } };
    const status = (word: string) => statusEvent(id, word, { recipient, pricing, occurred_at: at }, business);
    await harness.db.transaction((tx) => records.accept(tx, [event] as never));
    await harness.db.transaction((tx) => records.advance(tx, [status('sent'), status('delivered')] as never));
  }
  const rate = (prefix: string, price: string, valid_from: string, row = 2) => ({
    ...{ row, prefix, price, valid_from },
    ...{ market: prefix, category: 'utility' },
  });
  const set = (rates: RequestOf<typeof SetRateCard>['rates'], more: Partial<RequestOf<typeof SetRateCard>> = {}) =>
    card.set({ currency: 'INR', replace_all: false, rates, ...more });
  const usage = (business_id = 1) => costs.billing({ business_id, from: '2026-10-01', to: '2026-12-31', timezone: 'Asia/Kolkata' });
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

  it('decision 520: a status with a price adds it to the message and its event, once and whatever the order', async () => {
    const at = '2026-11-02T10:00:00.000Z';
    const advance = (...words: [string, Billing?][]) =>
      harness.db.transaction((tx) =>
        records.advance(
          tx,
          words.map(([word, pricing]) => statusEvent('wamid.1', word, { occurred_at: at, ...(pricing && { pricing }) })) as never,
        ),
      );
    await harness.db.transaction((tx) => records.accept(tx, [{ ...acceptedEvent('wamid.1'), at }] as never));
    expect(await advance(['sent', UTILITY])).toEqual([]);
    expect((await records.find(1, ['wamid.1']))[0]).toMatchObject({ delivery_status: 'sent', billing: UTILITY });
    expect(await usage()).toEqual([]);
    expect(await advance(['delivered', { ...UTILITY, category: 'warped' }], ['read'])).toMatchObject([
      { status: 'delivered', billing: UTILITY },
      { status: 'read', billing: UTILITY },
    ]);
    await advance(['sent', UTILITY], ['delivered', UTILITY]);
    expect(await usage()).toEqual([{ day: '2026-11-02', ...UTILITY, count: 1 }]);
    // A status may arrive before the acceptance, and a lower one may bring the price.
    const late = (word: string, pricing?: Billing) => statusEvent('wamid.2', word, { occurred_at: at, ...(pricing && { pricing }) });
    await harness.db.transaction((tx) => records.advance(tx, [late('read')] as never));
    await harness.db.transaction((tx) => records.advance(tx, [late('sent', UTILITY)] as never));
    const [accepted] = await harness.db.transaction((tx) => records.accept(tx, [{ ...acceptedEvent('wamid.2'), at }] as never));
    expect(accepted).toMatchObject({ billing: UTILITY });
    expect((await records.find(1, ['wamid.2']))[0]).toMatchObject({ delivery_status: 'read', billing: UTILITY });
  });

  it('decision 521: costs are decimals by the rate of their day and market; a missing rate is no cost', async () => {
    // 23:00 UTC is the next day in Kolkata.
    await delivered('a', '2026-10-31T23:00:00.000Z');
    await delivered('b', '2026-10-31T12:00:00.000Z');
    await delivered('c', '2026-11-01T12:00:00.000Z', { recipient: '18765550100' });
    await delivered('d', '2026-11-01T12:00:00.000Z', { pricing: { ...UTILITY, billable: false, type: 'free_entry_point' } });
    await delivered('e', '2026-11-01T12:00:00.000Z', { recipient: 'IN.7300', broadcast_id: 8 });
    await delivered('f', '2026-11-01T12:00:00.000Z', { business: 2 });
    await set([rate('91', '0.1', '2026-10-01'), rate('91', '0.2', '2026-11-01'), rate('1', '0.3', '2026-10-01')]);
    const free = { day: '2026-11-01', category: 'utility', type: 'free_entry_point', billable: false, count: 1 };
    expect(await usage()).toEqual([
      { day: '2026-10-31', ...UTILITY, count: 1, cost: '0.1' },
      free,
      { day: '2026-11-01', ...UTILITY, count: 2, cost: '0.4' },
      { day: '2026-11-01', ...UTILITY, count: 1 },
    ]);
    expect(await usage(2)).toEqual([{ day: '2026-11-01', ...UTILITY, count: 1, cost: '0.2' }]);
    const of = { broadcast_ids: [7, 8, 9] };
    expect(await costs.costs({ business_id: 1, timezone: 'Asia/Kolkata', of })).toEqual({
      currency: 'INR',
      costs: [
        { broadcast_id: 7, cost: '0.3', charged: 3, free: 1, without_rate: 1 },
        { broadcast_id: 8, cost: '0.2', charged: 1, free: 0, without_rate: 0 },
      ],
    });
    expect((await costs.costs({ business_id: 2, timezone: 'UTC', of })).costs).toMatchObject([{ charged: 1 }]);
    const bySender = { sent_by: 'api', from: '2026-11-01', to: '2026-11-01' };
    expect((await costs.costs({ business_id: 1, timezone: 'Asia/Kolkata', of: bySender })).costs).toEqual([
      { cost: '0.4', charged: 3, free: 1, without_rate: 1 },
    ]);
    const detail = (message_id: string, timezone: string) => new LogStore(harness.db).timeline({ business_id: 1, message_id, timezone });
    expect([await detail('a', 'Asia/Kolkata'), await detail('a', 'UTC')]).toMatchObject([
      { cost: { amount: '0.2', currency: 'INR' } },
      { cost: { amount: '0.1', currency: 'INR' } },
    ]);
    for (const id of ['c', 'd']) expect(await detail(id, 'UTC')).not.toHaveProperty('cost');
  });

  it('decision 522: a new card changes no cost of a past day, unless it replaces all rates', async () => {
    await delivered('a', '2026-11-01T12:00:00.000Z');
    await set([rate('91', '0.1', '2026-10-01'), rate('91', '0.5', day(30))]);
    const before = await usage();
    const inForce = [rate('91', '0.1', '2026-10-01'), rate('91', '0.3', day(1))];
    expect(await set([...inForce, rate('91', '0.2', '2026-11-01', 4), rate('91', '0.2', '2026-09-01', 5)])).toMatchObject({
      added: 0,
      faults: [
        { row: 4, field: 'valid_from' },
        { row: 5, field: 'valid_from' },
      ],
    });
    expect(await set(inForce, { currency: 'USD' })).toMatchObject({ faults: [{ row: 2, field: 'currency' }] });
    // Past rates stay even where the card lacks them, and begin where no rate applied.
    expect(await set([rate('91', '0.3', day(1)), rate('44', '0.4', '2026-10-01')])).toEqual({ faults: [], added: 2, removed: 1 });
    expect(await usage()).toEqual(before);
    expect((await card.get()).rates.map(({ prefix, price, valid_from }) => [prefix, price, valid_from])).toEqual([
      ['91', '0.3', day(1)],
      ['44', '0.4', '2026-10-01'],
      ['91', '0.1', '2026-10-01'],
    ]);
    const markets = ['91', '44', '1'].map((market) => ({ market, count: 3 }));
    const estimate = await costs.estimate({ category: 'utility', day: day(0), markets });
    expect([estimate.cost, estimate.markets.map(({ cost }) => cost)]).toEqual(['1.5', ['0.3', '1.2', null]]);
    const prices = async (on: string) =>
      (await costs.estimate({ category: 'utility', day: on, markets })).markets.map(({ price }) => price);
    expect([await prices(day(0)), await prices(day(1))]).toEqual([
      ['0.1', '0.4', null],
      ['0.3', '0.4', null],
    ]);
    await set([rate('*', '9', '2026-01-01')], { currency: 'USD', replace_all: true });
    expect(await usage()).toMatchObject([{ cost: '9' }]);
    expect(await costs.currency()).toBe('USD');
  });
});
