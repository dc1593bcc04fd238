import { newIntentId } from '@mgw/contracts';
import { startHarness, type Harness } from '@mgw/harness';
import type { ConversationService } from '../conversations/conversation.service';
import { service } from '../main';
import type { IntentDraft } from './intent';
import { ReservationService } from './reservation.service';
import { ReservationStore } from './reservation.store';
import { reserveDistinct } from './reserve-distinct';

const KEY = 1;

const WROTE_AT = '2026-06-15T00:00:00.000Z';

/** The statement that writes the intent also checks the recipient (decisions 1, 18 and 37). */
describe('the reservation of a send (spec §3.2, §4.5)', () => {
  let harness: Harness;
  let store: ReservationStore;
  let person = 0;
  beforeAll(async () => {
    harness = await startHarness(service);
    store = new ReservationStore(harness.db, harness.sealer);
  });
  afterAll(() => harness.close());

  /** Creates a person who wrote at WROTE_AT, with these suppressions. */
  const addPerson = async (...states: string[]) => {
    const phone = `1202555${String((person += 1)).padStart(4, '0')}`;
    const [row] = await harness.db.query<{ id: string }>(
      `WITH c AS (INSERT INTO send.conversations (business_id, phone, last_inbound_at) VALUES (1, $1, $2) RETURNING id)
       INSERT INTO send.conversation_aliases (business_id, alias, conversation_id) SELECT 1, $1, id FROM c RETURNING conversation_id AS id`,
      [phone, WROTE_AT],
    );
    const id = Number(row?.id);
    for (const [place, state] of states.entries())
      await harness.db.query('INSERT INTO send.suppressions (conversation_id, source, state, at) VALUES ($1, $2, $3, now())', [
        id,
        ['person', 'platform', 'dashboard'][place],
        state,
      ]);
    return { id, phone };
  };
  const draft = (to: string, kind: Partial<IntentDraft> = {}, key: string | null = null): IntentDraft => ({
    id: newIntentId(),
    sender: {
      business_id: 1,
      sent_by: 'api',
      api_key_id: KEY,
      plan: 'Growth',
      daily_limit: 1_000,
      timezone: 'UTC',
      idempotency: key === null ? null : { key, fingerprint: 'f' },
    },
    to,
    type: 'template',
    template: 'order_update',
    language: null,
    marketing: false,
    needsWindow: false,
    text: 'Hi',
    details: null,
    ...kind,
  });
  const reserve = (...drafts: IntentDraft[]) => store.reserve(drafts, [], new Date(WROTE_AT));
  const used = async () => (await harness.db.query<{ used: number }>('SELECT sum(used)::integer AS used FROM send.daily_usage'))[0]?.used;

  const UTILITY = {};
  const MARKETING = { marketing: true };
  const OTP = { type: 'otp' as const };
  const TEXT = { type: 'text' as const, needsWindow: true };

  it.each([
    [['opted_out_marketing'], UTILITY, null],
    [['opted_out_marketing'], MARKETING, 'opted_out_marketing'],
    [['opted_out'], UTILITY, 'opted_out'],
    [['opted_out'], OTP, 'opted_out'],
    [['blocked'], TEXT, 'blocked'],
    [['opted_out_marketing', 'blocked'], MARKETING, 'blocked'],
    [['opted_out_marketing', 'opted_out'], MARKETING, 'opted_out'],
    [['opted_out_marketing', 'opted_out'], UTILITY, 'opted_out'],
  ])('suppressions %j and message %j: %s', async (states, kind, expected) => {
    const { id, phone } = await addPerson(...states);
    const [reservation] = await reserve(draft(phone, kind));
    expect(reservation).toMatchObject(
      expected === null ? { kind: 'reserved', recipient: { conversationId: id } } : { kind: 'suppressed', state: expected },
    );
  });

  it('decision 382: sees the opt-out of a person who is erased at the same moment', async () => {
    await harness.db.query(
      `INSERT INTO send.erased_opt_outs VALUES (1, 'erased:1', 'person', 'opted_out', now()), (1, 'erased:2', 'person', 'opted_out_marketing', now())`,
    );
    const drafts = [draft('12025559991'), draft('12025559992', UTILITY), draft('12025559992', MARKETING), draft('12025559993')];
    expect(await store.reserve(drafts, ['erased:1', 'erased:2', 'erased:2', 'erased:3'])).toMatchObject([
      { kind: 'suppressed', state: 'opted_out' },
      { kind: 'reserved' },
      { kind: 'suppressed', state: 'opted_out_marketing' },
      { kind: 'reserved' },
    ]);
  });

  it('decision 24: passes an Idempotency-Key to the next draft when a recipient is refused', async () => {
    const [out, open] = [await addPerson('opted_out'), await addPerson()];
    const drafts = [
      draft(out.phone, {}, 'twins'),
      draft('12025559996', TEXT, 'twins'),
      draft(open.phone, {}, 'twins'),
      draft(open.phone, {}, 'twins'),
      draft(open.phone, {}),
    ];
    const reservations = await reserveDistinct(drafts, (leaders) => reserve(...leaders));
    expect(reservations).toMatchObject([
      { kind: 'suppressed' },
      { kind: 'window_closed' },
      { kind: 'reserved', recipient: { conversationId: open.id } },
      { kind: 'earlier', send: { id: drafts[2]?.id, state: 'calling' } },
      { kind: 'reserved' },
    ]);
  });

  it('lets an OTP pass an opt-out if the business allows it, but never a block', async () => {
    await harness.db.query('INSERT INTO send.settings (business_id, otp_to_opted_out) VALUES (1, true)');
    const [out, both, blocked] = [
      await addPerson('opted_out'),
      await addPerson('opted_out', 'opted_out_marketing'),
      await addPerson('blocked'),
    ];
    const reservations = await reserve(
      draft(out.phone, OTP),
      draft(out.phone, UTILITY),
      draft(both.phone, OTP),
      draft(both.phone, { ...OTP, ...MARKETING }),
      draft(blocked.phone, OTP),
    );
    await harness.db.query('DELETE FROM send.settings');
    expect(reservations.map((reservation) => (reservation.kind === 'suppressed' ? reservation.state : reservation.kind))).toEqual([
      'reserved',
      'opted_out',
      'reserved',
      'opted_out_marketing',
      'blocked',
    ]);
  });

  it('keeps the window open for exactly 24 hours, unless the platform closed it', async () => {
    const { id, phone } = await addPerson();
    const reserveAt = (time: string) => store.reserve([draft(phone, TEXT)], [], new Date(time)).then(([reservation]) => reservation);
    expect(await reserveAt('2026-06-15T23:59:59.999Z')).toMatchObject({ kind: 'reserved', recipient: { conversationId: id } });
    expect(await reserveAt('2026-06-16T00:00:00.000Z')).toEqual({ kind: 'window_closed', lastInboundAt: new Date(WROTE_AT) });
    await harness.db.query('UPDATE send.conversations SET window_denied_for = last_inbound_at WHERE id = $1', [id]);
    expect(await reserveAt('2026-06-15T01:00:00.000Z')).toMatchObject({ kind: 'window_closed' });
  });

  it('gives each draft of a batch its own result; refused drafts use neither cap nor Idempotency-Key', async () => {
    const [out, open] = [await addPerson('opted_out'), await addPerson()];
    const before = (await used()) ?? 0;
    const batch = [
      draft(out.phone, {}, 'a'),
      draft(open.phone, TEXT, 'b'),
      draft('12025559999', TEXT, 'c'),
      draft('12025559998', {}, 'd'),
      draft(open.phone, {}),
    ];
    const reservations = await reserve(...batch);
    expect(reservations).toMatchObject([
      { kind: 'suppressed', state: 'opted_out' },
      { kind: 'reserved', recipient: { conversationId: open.id, lastInboundAt: new Date(WROTE_AT) } },
      { kind: 'window_closed', lastInboundAt: null },
      { kind: 'reserved', recipient: { conversationId: null } },
      { kind: 'reserved', recipient: { conversationId: open.id } },
    ]);
    expect(await used()).toBe(before + 3);
    const again = await reserve(...['a', 'b', 'c', 'd'].map((key) => draft('12025559997', {}, key)));
    expect(again.map(({ kind }) => kind)).toEqual(['reserved', 'earlier', 'reserved', 'earlier']);
  });

  describe('a draft whose values PostgreSQL refuses', () => {
    /** JSON, but no jsonb: PostgreSQL refuses NUL in a name. */
    const poisoned = (key: string | null = null) => draft('12025559990', { details: '{"\\u0000":1}' }, key);
    const conversations = {
      restoreOptOuts: async (_: unknown, names: unknown[]) => names.map(() => null),
    } as unknown as ConversationService;
    /** Reserves the drafts in one batch. */
    const reserveAll = (...drafts: IntentDraft[]) => {
      const reservations = new ReservationService(store, conversations, harness.db);
      return Promise.all(drafts.map((one) => reservations.reserve(one)));
    };
    const stored = (drafts: IntentDraft[]) =>
      harness.db.query<{ id: string }>('SELECT id FROM send.intents WHERE id = ANY ($1::uuid[])', [drafts.map(({ id }) => id)]);

    it('fails alone; the others of its batch are reserved once', async () => {
      const before = (await used()) ?? 0;
      const drafts = [draft('12025559980'), poisoned(), draft('12025559981', {}, 'good'), poisoned('bad'), draft('12025559982')];
      const reservations = await reserveAll(...drafts);
      expect(reservations.map(({ kind }) => kind)).toEqual(['reserved', 'failed', 'reserved', 'failed', 'reserved']);
      expect([(await stored(drafts)).length, await used()]).toEqual([3, before + 3]);
    });

    it('passes its Idempotency-Key to the next draft', async () => {
      const drafts = [poisoned('twice'), poisoned('twice'), draft('12025559983', {}, 'twice'), draft('12025559983', {}, 'twice')];
      expect(await reserveAll(...drafts)).toMatchObject([
        { kind: 'failed' },
        { kind: 'failed' },
        { kind: 'reserved' },
        { kind: 'earlier', send: { id: drafts[2]?.id } },
      ]);
    });
  });
});
