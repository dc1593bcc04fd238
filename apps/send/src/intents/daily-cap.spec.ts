import { newIntentId } from '@mgw/contracts';
import { startHarness, type Harness } from '@mgw/harness';
import { migrations } from '../migrations/migrations';
import type { IntentDraft } from './intent';
import { ReservationStore } from './reservation.store';

/** Product decision 20: the cap of a day ends at the business's own midnight, also on days that have 23 or 25 hours. */
describe('midnight of the daily cap (spec §8)', () => {
  let harness: Harness;
  let store: ReservationStore;
  let key = 0;
  beforeAll(async () => {
    harness = await startHarness({ schema: 'send', migrations });
    store = new ReservationStore(harness.db, harness.sealer);
  });
  afterAll(() => harness.close());

  const draft = (timezone: string): IntentDraft => ({
    id: newIntentId(),
    sender: { business_id: 1, sent_by: 'api', api_key_id: key, plan: 'Growth', daily_limit: 1, timezone, idempotency: null },
    to: '919876543210',
    type: 'text',
    template: null,
    marketing: false,
    needsWindow: false,
    text: 'Hi',
  });
  const at = async (timezone: string, time: string) => (await store.reserve([draft(timezone)], new Date(time)))[0];

  it.each([
    ['UTC', '2026-06-15T23:59:59.999Z', '2026-06-16T00:00:00.000Z'],
    ['Asia/Kolkata', '2026-06-15T18:29:59.999Z', '2026-06-15T18:30:00.000Z'],
    // The clocks go forward at 2 o'clock: a day of 23 hours.
    ['America/New_York', '2026-03-09T03:59:59.999Z', '2026-03-09T04:00:00.000Z'],
    // The clocks go back at 2 o'clock: a day of 25 hours.
    ['America/New_York', '2026-11-02T04:59:59.999Z', '2026-11-02T05:00:00.000Z'],
  ])('%s: used up until %s, free at %s', async (timezone, before, midnight) => {
    key += 1;
    expect(await at(timezone, before)).toMatchObject({ kind: 'reserved' });
    expect(await at(timezone, before)).toMatchObject({ kind: 'capped', used: 1, secondsToMidnight: 1 });
    expect(await at(timezone, midnight)).toMatchObject({ kind: 'reserved' });
  });

  it.each([
    ['2026-03-08T05:00:00.000Z', 23],
    ['2026-11-01T04:00:00.000Z', 25],
  ])('New York on %s has %d hours', async (begin, hours) => {
    key += 1;
    await at('America/New_York', begin);
    expect(await at('America/New_York', begin)).toMatchObject({ kind: 'capped', secondsToMidnight: hours * 3_600 });
  });
});
