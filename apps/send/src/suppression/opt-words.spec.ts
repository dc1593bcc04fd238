import { GetSuppression, SetSendSettings } from '@mgw/contracts';
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
  /** What somebody is who has written only this. */
  const stateAfter = async (business_id: number, text: string | null) => {
    const phone = `9198765${String(++people).padStart(5, '0')}`;
    const message_id = `wamid.${people}`;
    await sending.harness.tell(inboundEvent({ message_id, text, from: { phone, user_id: null, name: '' } }, business_id));
    await eventually(async () =>
      (await sending.harness.told('message.received')).some(({ data }) => (data as { message_id: string }).message_id === message_id),
    );
    const { suppression } = await sending.harness.rpc.call(GetSuppression, { business_id, phone });
    return suppression?.state ?? null;
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
});
