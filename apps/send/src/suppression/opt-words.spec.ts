import { GetSuppression, LiftSuppression, SetSendSettings, SetSuppression } from '@mgw/contracts';
import { inboundEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../sending/send.fixture';

/** Businesses with our words, and with their own, one of which nobody can see. */
const OURS = 1;
const OWN = 2;

describe('words that opt out (product decision 45: the whole text, trimmed, in any case)', () => {
  let sending: Sending;
  beforeAll(async () => {
    sending = await startSending();
    await sending.run();
    const stop_words = ['iptal', 'kapalı', 'İSTEMİYORUM', 'arrête', ' \u200b'];
    await sending.harness.rpc.call(SetSendSettings, { business_id: OWN, stop_words });
  });
  afterAll(() => sending.harness.close());

  let people = 0;
  let messages = 0;
  const newPhone = () => `9198765${String(++people).padStart(5, '0')}`;
  const write = async (business_id: number, phone: string, content: { text: string | null; sent_at?: string }) => {
    const message_id = `wamid.${++messages}`;
    await sending.harness.tell(inboundEvent({ message_id, from: { phone, user_id: null, name: '' }, ...content }, business_id));
    await eventually(async () =>
      (await sending.harness.told('message.received')).some(({ data }) => (data as { message_id: string }).message_id === message_id),
    );
  };
  const stateOf = async (business_id: number, phone: string) =>
    (await sending.harness.rpc.call(GetSuppression, { business_id, phone })).suppression?.state ?? null;
  /** What somebody is who has written only this. */
  const stateAfter = async (business_id: number, text: string | null) => {
    const phone = newPhone();
    await write(business_id, phone, { text });
    return stateOf(business_id, phone);
  };

  it.each([
    ['as it is', OURS, 'STOP'],
    ['among spaces and lines', OURS, ' \n Stop all\u00a0'],
    ['with a dotless ı of a Turkish keyboard', OURS, 'unsubscrıbe'],
    ['with an İ of a Turkish keyboard', OURS, 'UNSUBSCRİBE'],
    ['in full width', OURS, 'ＳＴＯＰ'],
    ['after a mark of direction', OURS, '\u200eSTOP'],
    ['before a space without width', OURS, 'STOP \u200b'],
    ['with a Turkish capital İ', OWN, 'İptal'],
    ['with a capital I', OWN, 'IPTAL'],
    ['with a capital I for ı', OWN, 'KAPALI'],
    ['written in capitals in the settings', OWN, 'istemiyorum'],
    ['composed in another way', OWN, 'ARRE\u0302TE'],
  ])('%s', async (_, business, text) => expect(await stateAfter(business, text)).toBe('opted_out'));

  it.each([
    ['more than the word', OURS, 'stop it'],
    ['other accents', OWN, 'arrete'],
    ['a message without text', OWN, null],
    ['nothing that can be seen', OWN, '\u200b'],
  ])('not: %s', async (_, business, text) => expect(await stateAfter(business, text)).toBeNull());

  describe('after the business has lifted it (product decision 18)', () => {
    let phone: string;
    beforeEach(async () => {
      phone = newPhone();
      await write(OURS, phone, { text: 'STOP' });
      await sending.harness.rpc.call(LiftSuppression, { business_id: OURS, phone });
      expect(await stateOf(OURS, phone)).toBeNull();
    });
    afterEach(() => jest.restoreAllMocks());

    it('STOP again counts, also within the same second: the platform tells whole ones', async () => {
      await write(OURS, phone, { text: 'STOP', sent_at: new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString() });
      expect(await stateOf(OURS, phone)).toBe('opted_out');
    });

    it('one that was said before it and comes late does not', async () => {
      await write(OURS, phone, { text: 'STOP', sent_at: new Date(Date.now() - 60_000).toISOString() });
      expect(await stateOf(OURS, phone)).toBeNull();
    });

    it('what the dashboard sets then holds, however far behind the clock of who sets it is', async () => {
      await sending.harness.rpc.call(SetSuppression, { business_id: OURS, phone, state: 'blocked', reason: null });
      await sending.harness.rpc.call(LiftSuppression, { business_id: OURS, phone });
      const toISOString = Date.prototype.toISOString;
      jest.spyOn(Date.prototype, 'toISOString').mockImplementation(function (this: Date) {
        return toISOString.call(new Date(this.getTime() - 3_000));
      });
      await sending.harness.rpc.call(SetSuppression, { business_id: OURS, phone, state: 'blocked', reason: null });
      expect(await stateOf(OURS, phone)).toBe('blocked');
    });
  });
});
