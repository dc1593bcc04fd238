import { GetSuppression, LiftSuppression, newIntentId, PlatformPreference, SetSendSettings, SetSuppression } from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import { inboundEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

/** Businesses with the default words, and with words of their own (one of them invisible). */
const DEFAULT_WORDS = 1;
const OWN_WORDS = 2;

describe('opt-out words (decision 45: the whole text, trimmed, in any case)', () => {
  let sending: Sending;
  beforeAll(async () => {
    sending = await startSending();
    await sending.run();
    const stop_words = ['iptal', 'kapalı', 'İSTEMİYORUM', 'arrête', ' \u200b'];
    await sending.harness.rpc.call(SetSendSettings, { business_id: OWN_WORDS, stop_words });
  });
  afterAll(() => sending.harness.close());

  let people = 0;
  let messages = 0;
  const newPhone = () => `9198765${String(++people).padStart(5, '0')}`;
  const write = async (business_id: number, phone: string, content: { text: string | null; sent_at?: string }) => {
    const message_id = `wamid.${++messages}`;
    await sending.harness.publish(inboundEvent({ message_id, from: { phone, user_id: null, name: '' }, ...content }, business_id));
    await eventually(async () =>
      (await sending.harness.published('message.received')).some(({ data }) => (data as { message_id: string }).message_id === message_id),
    );
  };
  const stateOf = async (business_id: number, phone: string) =>
    (await sending.harness.rpc.call(GetSuppression, { business_id, phone })).suppression?.state ?? null;
  /** The suppression of a new person after this message. */
  const stateAfter = async (business_id: number, text: string | null) => {
    const phone = newPhone();
    await write(business_id, phone, { text });
    return stateOf(business_id, phone);
  };

  it.each([
    ['unchanged', DEFAULT_WORDS, 'STOP'],
    ['between spaces and line breaks', DEFAULT_WORDS, ' \n Stop all\u00a0'],
    ['with a Turkish dotless ı', DEFAULT_WORDS, 'unsubscrıbe'],
    ['with a Turkish İ', DEFAULT_WORDS, 'UNSUBSCRİBE'],
    ['in full width', DEFAULT_WORDS, 'ＳＴＯＰ'],
    ['after a direction mark', DEFAULT_WORDS, '\u200eSTOP'],
    ['before a zero-width space', DEFAULT_WORDS, 'STOP \u200b'],
    ['with a Turkish capital İ', OWN_WORDS, 'İptal'],
    ['with a capital I', OWN_WORDS, 'IPTAL'],
    ['with a capital I for ı', OWN_WORDS, 'KAPALI'],
    ['written in capitals in the settings', OWN_WORDS, 'istemiyorum'],
    ['in another Unicode composition', OWN_WORDS, 'ARRE\u0302TE'],
  ])('opts out: %s', async (_, business, text) => expect(await stateAfter(business, text)).toBe('opted_out'));

  it.each([
    ['more than the word', DEFAULT_WORDS, 'stop it'],
    ['other accents', OWN_WORDS, 'arrete'],
    ['a message without text', OWN_WORDS, null],
    ['only invisible characters', OWN_WORDS, '\u200b'],
  ])('does not opt out: %s', async (_, business, text) => expect(await stateAfter(business, text)).toBeNull());

  describe('after the business lifted the suppression (decision 18)', () => {
    let phone: string;
    beforeEach(async () => {
      phone = newPhone();
      await write(DEFAULT_WORDS, phone, { text: 'STOP' });
      await sending.harness.rpc.call(LiftSuppression, { business_id: DEFAULT_WORDS, phone });
      expect(await stateOf(DEFAULT_WORDS, phone)).toBeNull();
    });
    afterEach(() => jest.restoreAllMocks());

    it('a new STOP counts, also within the same second, because platform times have whole seconds', async () => {
      await write(DEFAULT_WORDS, phone, { text: 'STOP', sent_at: new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString() });
      expect(await stateOf(DEFAULT_WORDS, phone)).toBe('opted_out');
    });

    it('a late STOP from before the lift does not count', async () => {
      await write(DEFAULT_WORDS, phone, { text: 'STOP', sent_at: new Date(Date.now() - 60_000).toISOString() });
      expect(await stateOf(DEFAULT_WORDS, phone)).toBeNull();
    });

    it('a new block of the dashboard counts, even if the clock of the process is behind', async () => {
      await sending.harness.rpc.call(SetSuppression, { business_id: DEFAULT_WORDS, phone, state: 'blocked', reason: null });
      await sending.harness.rpc.call(LiftSuppression, { business_id: DEFAULT_WORDS, phone });
      const toISOString = Date.prototype.toISOString;
      jest.spyOn(Date.prototype, 'toISOString').mockImplementation(function (this: Date) {
        return toISOString.call(new Date(this.getTime() - 3_000));
      });
      await sending.harness.rpc.call(SetSuppression, { business_id: DEFAULT_WORDS, phone, state: 'blocked', reason: null });
      expect(await stateOf(DEFAULT_WORDS, phone)).toBe('blocked');
    });
  });

  describe('at a time in the future, from a platform clock that is ahead', () => {
    const ahead = () => new Date(Date.now() + 3_600_000).toISOString();
    /** Platform times have whole seconds. */
    const now = () => new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString();
    const send = (to: string) => sending.template({}, { to });
    const prefer = async (phone: string, value: string, said_at: string) => {
      const data = { phone_number_id: '700', category: 'marketing_messages', value, said_at, from: { phone, user_id: null, name: '' } };
      await sending.harness.publish(newEvent(PlatformPreference, { id: newIntentId(), at: said_at, business_id: 1, key: phone, data }));
    };
    const becomes = (phone: string, state: string | null) => eventually(async () => (await stateOf(DEFAULT_WORDS, phone)) === state);

    it('START does not outlast a later STOP', async () => {
      const phone = newPhone();
      await write(DEFAULT_WORDS, phone, { text: 'START', sent_at: ahead() });
      await write(DEFAULT_WORDS, phone, { text: 'STOP', sent_at: now() });
      expect(await send(phone)).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED' });
    });

    it('STOP does not outlast a later START, also within the same second', async () => {
      const phone = newPhone();
      await write(DEFAULT_WORDS, phone, { text: 'STOP', sent_at: ahead() });
      expect(await send(phone)).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED' });
      await write(DEFAULT_WORDS, phone, { text: 'START', sent_at: now() });
      expect(await send(phone)).toMatchObject({ replayed: false });
    });

    it('START lifts the suppression of the platform, and a later one counts', async () => {
      const phone = newPhone();
      await prefer(phone, 'stop', ahead());
      await becomes(phone, 'opted_out_marketing');
      await write(DEFAULT_WORDS, phone, { text: 'START', sent_at: ahead() });
      await becomes(phone, null);
      await prefer(phone, 'stop', now());
      await becomes(phone, 'opted_out_marketing');
    });
  });
});
