import { newIntentId } from '@mgw/contracts';
import { startHarness, type Harness } from '@mgw/harness';
import type { ConversationService } from '../conversations/conversation.service';
import { service } from '../main';
import type { IntentDraft } from './intent';
import { ReservationService } from './reservation.service';
import { ReservationStore } from './reservation.store';

/** Decision 20: the daily cap resets at the business's own midnight, even on days of 23 or 25 hours. */
describe('the daily cap (spec §8)', () => {
  let harness: Harness;
  let store: ReservationStore;
  let key = 0;
  beforeAll(async () => {
    harness = await startHarness(service);
    store = new ReservationStore(harness.db, harness.sealer);
  });
  afterAll(() => harness.close());

  const draft = (timezone: string, daily_limit = 1): IntentDraft => ({
    id: newIntentId(),
    sender: { business_id: 1, sent_by: 'api', api_key_id: key, plan: 'Growth', daily_limit, timezone, idempotency: null },
    to: '919876543210',
    type: 'text',
    template: null,
    language: null,
    marketing: false,
    needsWindow: false,
    text: 'Hi',
    details: null,
  });
  const reserveAt = async (timezone: string, time: string) => (await store.reserve([draft(timezone)], [], new Date(time)))[0];

  it.each([
    ['UTC', '2026-06-15T23:59:59.999Z', '2026-06-16T00:00:00.000Z'],
    ['Asia/Kolkata', '2026-06-15T18:29:59.999Z', '2026-06-15T18:30:00.000Z'],
    // Clocks go forward at 2:00: a day of 23 hours.
    ['America/New_York', '2026-03-09T03:59:59.999Z', '2026-03-09T04:00:00.000Z'],
    // Clocks go back at 2:00: a day of 25 hours.
    ['America/New_York', '2026-11-02T04:59:59.999Z', '2026-11-02T05:00:00.000Z'],
  ])('%s: is reached until %s and resets at %s', async (timezone, before, midnight) => {
    key += 1;
    expect(await reserveAt(timezone, before)).toMatchObject({ kind: 'reserved' });
    expect(await reserveAt(timezone, before)).toMatchObject({ kind: 'capped', used: 1, secondsToMidnight: 1 });
    expect(await reserveAt(timezone, midnight)).toMatchObject({ kind: 'reserved' });
  });

  it.each([
    ['2026-03-08T05:00:00.000Z', 23],
    ['2026-11-01T04:00:00.000Z', 25],
  ])('counts hours to midnight in New York on %s: %d', async (begin, hours) => {
    key += 1;
    await reserveAt('America/New_York', begin);
    expect(await reserveAt('America/New_York', begin)).toMatchObject({ kind: 'capped', secondsToMidnight: hours * 3_600 });
  });

  it('decision 706: judges each send of a batch by its own cap, and counts them together', async () => {
    key += 1;
    const conversations = { restoreOptOuts: async (_: unknown, names: unknown[]) => names.map(() => null) };
    const reservations = new ReservationService(store, conversations as unknown as ConversationService, harness.db);
    const reserveTogether = async (...caps: number[]) => {
      const ended = await Promise.all(caps.map((cap) => reservations.reserve(draft('UTC', cap))));
      return ended.map((one) => (one.kind === 'capped' ? `capped at ${one.used}` : one.kind));
    };
    expect(await reserveTogether(10, 10, 10)).toEqual(['reserved', 'reserved', 'reserved']);
    // The cap of a running broadcast may be older than that of the key's other sends.
    expect(await reserveTogether(2, 10, 10)).toEqual(['capped at 3', 'reserved', 'reserved']);
    expect(await reserveTogether(6, 8, 6, 8, 8)).toEqual(['reserved', 'reserved', 'capped at 6', 'reserved', 'capped at 8']);
  });
});
