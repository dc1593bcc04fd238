import { eventually } from '@mgw/testing';
import { SeededRandom } from '../random';
import { codeOf, idOf, messageOf, NUMBER, PERSON, Started } from '../simulator.fixture';
import { messageId } from '../message-id';

const LINK = 'https://files.example/a';
const reply = (id: string, title = id) => ({ type: 'reply', reply: { id, title } });
const buttons = (...all: object[]) => ({
  type: 'interactive',
  interactive: { type: 'button', body: { text: 'Shall we?' }, action: { buttons: all } },
});
const row = (id: string) => ({ id, title: `Row ${id}` });
const list = (...sections: object[]) => ({
  type: 'interactive',
  interactive: { type: 'list', body: { text: 'Choose' }, action: { button: 'Show', sections } },
});
const interactive = (type: string, action: object, more: object = { body: { text: 'Here' } }) => ({
  type: 'interactive',
  interactive: { type, action, ...more },
});
const contact = (name: object) => ({ type: 'contacts', contacts: [{ name, phones: [{ phone: '+1 201 555 0100', type: 'HOME' }] }] });

describe('messages of every kind (platform §1, §8.1)', () => {
  let started: Started;
  beforeAll(async () => {
    started = await Started.with();
    await started.receive();
  });
  afterAll(() => started.close());

  it.each<[string, object]>([
    ['text without a type', { text: { body: 'Hi' } }],
    ['text with a preview', { type: 'text', text: { body: 'https://a.example', preview_url: true } }],
    ['a reply to a message', { type: 'text', text: { body: 'Hi' }, context: { message_id: 'wamid.x' } }],
    ['image', { type: 'image', image: { link: LINK, caption: 'A' } }],
    ['voice', { type: 'audio', audio: { link: LINK, voice: true } }],
    ['document', { type: 'document', document: { link: LINK, caption: 'A', filename: 'a.pdf' } }],
    ['platform §1.3: 4096 emoji', { type: 'document', document: { link: LINK, caption: '😀'.repeat(1_024), filename: '😀'.repeat(240) } }],
    ['sticker', { type: 'sticker', sticker: { link: LINK } }],
    ['location', { type: 'location', location: { latitude: 52.1, longitude: '-0.5', name: 'Mill', address: 'Lane 1' } }],
    ['contacts', contact({ formatted_name: 'Asha Rao', first_name: 'Asha' })],
    ['reply buttons', buttons(reply('a'), reply('b'))],
    ['a list', list({ title: 'One', rows: [row('1')] }, { title: 'Two', rows: [row('2')] })],
    ['a link button', interactive('cta_url', { name: 'cta_url', parameters: { display_text: 'Open', url: LINK } })],
    ['a question for the place', interactive('location_request_message', { name: 'send_location' })],
    [
      'a flow',
      interactive('flow', { name: 'flow', parameters: { flow_message_version: '3', flow_id: '1', flow_cta: 'Begin', mode: 'draft' } }),
    ],
    ['a product without words', interactive('product', { catalog_id: '1', product_retailer_id: 'sku' }, {})],
  ])('accepts %s', async (_, message) => {
    const sent = await started.send(message);
    expect([sent.status, messageOf(sent)]).toEqual([200, '']);
  });

  it.each<[string, object, number, string]>([
    ['an unknown kind', { type: 'hologram', hologram: {} }, 131051, 'Unsupported message type'],
    ['no content', { type: 'text' }, 100, "The parameter text['body'] is required."],
    ['too long a text', { text: { body: 'x'.repeat(4_097) } }, 100, "text['body']"],
    ['a member that is none', { text: { body: 'Hi', colour: 'red' } }, 100, 'Unexpected key "colour" on param "text".'],
    ['a member of the message that is none', { text: { body: 'Hi' }, colour: 'red' }, 100, 'Unexpected key "colour" on param "message".'],
    ['too long callback data', { text: { body: 'Hi' }, biz_opaque_callback_data: 'x'.repeat(513) }, 100, 'biz_opaque_callback_data'],
    ['another product', { messaging_product: 'sms', text: { body: 'Hi' } }, 100, 'messaging_product'],
    ['an odd recipient', { to: 'nobody', text: { body: 'Hi' } }, 131009, 'not valid'],
    ['no recipient', { to: '', text: { body: 'Hi' } }, 100, 'The parameter to is required.'],
    ['a caption of audio', { type: 'audio', audio: { link: LINK, caption: 'A' } }, 100, 'Unexpected key "caption" on param "audio".'],
    ['too long a caption', { type: 'image', image: { link: LINK, caption: '😀'.repeat(1_025) } }, 100, 'at most 1024 characters'],
    ['a filename of an image', { type: 'image', image: { link: LINK, filename: 'a' } }, 100, 'Unexpected key "filename"'],
    ['id and link', { type: 'image', image: { link: LINK, id: '1' } }, 100, 'exactly one'],
    ['an unknown file', { type: 'image', image: { id: '1' } }, 100, 'media attachment ID'],
    ['no address', { type: 'image', image: { link: 'a.jpg' } }, 100, "image['link'] is not a valid URI"],
    ['a place without longitude', { type: 'location', location: { latitude: 1 } }, 100, "location['longitude'] is required"],
    ['a place beyond the pole', { type: 'location', location: { latitude: '91', longitude: 0 } }, 131009, 'not valid'],
    ['a nameless contact', contact({ first_name: 'Asha' }), 100, "contacts[0]['name']['formatted_name'] is required"],
    ['a contact with one name', contact({ formatted_name: 'Asha' }), 131009, 'not valid'],
    ['no contacts', { type: 'contacts', contacts: [] }, 100, 'contacts'],
    ['four buttons', buttons(reply('a'), reply('b'), reply('c'), reply('d')), 100, "interactive['action']['buttons']"],
    ['twice the same button', buttons(reply('a', 'x'), reply('a', 'y')), 131009, 'not valid'],
    ['too long a button', buttons(reply('a', 'x'.repeat(21))), 100, "['buttons'][0]['reply']['title']"],
    ['eleven rows', list({ title: 'a', rows: Array.from('123456', row) }, { title: 'b', rows: Array.from('7890ab', row) }), 131009, ''],
    ['sections without titles', list({ rows: [row('1')] }, { rows: [row('2')] }), 131009, ''],
    ['buttons without words', interactive('button', { buttons: [reply('a')] }, {}), 100, "interactive['body']['text'] is required"],
    ['an unknown interaction', interactive('dance', {}), 100, "interactive['type']"],
    [
      'a picture over a list',
      interactive('list', { button: 'b', sections: [{ rows: [row('1')] }] }, { body: { text: 'x' }, header: { type: 'image' } }),
      131009,
      '',
    ],
    ['a reaction to nothing', { type: 'reaction', reaction: { emoji: '👍' } }, 100, "reaction['message_id'] is required"],
    [
      'a reaction as a reply',
      { type: 'reaction', reaction: { message_id: 'w', emoji: '👍' }, context: { message_id: 'w' } },
      100,
      'context',
    ],
  ])('refuses %s', async (_, message, code, words) => {
    const sent = await started.send(message);
    expect([sent.status, codeOf(sent)]).toEqual([400, code]);
    expect(messageOf(sent)).toContain(words);
    expect(sent.body['error']).toMatchObject({ type: 'OAuthException', fbtrace_id: sent.headers.get('x-fb-trace-id') });
  });

  it.each([
    [{ status: 'read', message_id: 'wamid.x' }, 200],
    [{ status: 'read', message_id: 'wamid.x', typing_indicator: { type: 'text' } }, 200],
    [{ status: 'read', message_id: 'x' }, 400],
    [{ status: 'seen', message_id: 'wamid.x' }, 400],
    [{ status: 'read', message_id: 'wamid.x', typing_indicator: { type: 'audio' } }, 400],
  ])('§1.1: responds to the read receipt %j with %i', async (receipt, status) => {
    const response = await started.graph('POST', `${NUMBER}/messages`, { messaging_product: 'whatsapp', ...receipt });
    expect(response.status).toBe(status);
  });

  it.each(['sim-404', 'sim-html', 'sim-too-large'])('§8.3: fails with 131053 for a link with %s', async (part) => {
    const id = idOf(await started.send({ type: 'image', image: { link: `${LINK}/${part}.jpg` } }));
    const [, failed] = await started.statusesOf(id, 2);
    expect(failed).toMatchObject({ status: 'failed', errors: [{ code: 131053 }] });
  });

  it('decision 523: charges free texts, and nothing for 72 hours after the reply to a click on an ad', async () => {
    const prices = async (person: string) => {
      const statuses = await started.statusesOf(idOf(await started.send({ type: 'text', text: { body: 'Hi' } }, person)), 2);
      return statuses.slice(0, 2).map(({ pricing }) => pricing);
    };
    const price = { pricing_model: 'PMP', category: 'service' };
    const regular = { ...price, billable: true, type: 'regular' };
    await started.receive({}, '12015550180');
    expect(await prices('12015550180')).toEqual([regular, regular]);
    const free = { ...price, billable: false, type: 'free_entry_point' };
    await started.receive({ referral: { source_type: 'ad' } }, '12015550181');
    expect(await prices('12015550181')).toEqual([free, free]);
  });

  it.each([
    ['US.9000000012015550164', '12015550164'],
    ['12015550105', 'US.9000000012015550105'],
    ['120155501089', '12015550108'],
  ])('§4.7, §6: a message from %s opens the window for %s', async (from, to) => {
    await started.receive({}, from);
    const name = to.startsWith('US') ? 'recipient' : 'to';
    const message = { messaging_product: 'whatsapp', [name]: to, text: { body: 'Hi' } };
    expect((await started.graph('POST', `${NUMBER}/messages`, message)).status).toBe(200);
  });

  it('§4.7: a number and a user id of one message are one person from then on', async () => {
    await started.receive({ bsuid: 'IN.7' }, '12015550182');
    const message_id = await started.receive({ text: 'By user id only', referral: { source_type: 'ad' } }, 'IN.7');
    const react = idOf(await started.send({ type: 'reaction', reaction: { message_id, emoji: '👍' } }, '12015550182'));
    const [status] = await started.statusesOf(react, 1);
    expect(status).toMatchObject({ status: 'sent', pricing: { type: 'free_entry_point' } });
    const thread = async (person: string) =>
      (await started.control<{ messages: object[] }>('GET', `phone?phone_number_id=${NUMBER}&person=${person}`)).body.messages;
    expect(await thread('12015550182')).toMatchObject([{}, { text: 'By user id only' }, { status: 'sent' }]);
    expect(await thread('IN.7')).toEqual(await thread('12015550182'));
    await started.control('POST', 'rules', { times: 1, match: { to: 'IN.7' }, error: { code: 131016 } });
    expect(codeOf(await started.sendTemplate('12015550182'))).toBe(131016);
  });

  it('§4.5: names person and price in sent, delivered and read, and only the phone in failed', async () => {
    const id = idOf(await started.sendTemplate());
    const [sent] = await started.statusesOf(id, 1);
    const user = `US.9${PERSON.padStart(18, '0')}`;
    expect(sent).toMatchObject({ recipient_id: PERSON, recipient_user_id: user, pricing: { category: 'utility', pricing_model: 'PMP' } });
    const change = started.changes().find(({ value }) => value.statuses?.[0]?.['id'] === id);
    expect(change?.value.contacts).toEqual([{ wa_id: PERSON, user_id: user }]);
    const lost = idOf(await started.sendTemplate('12015550120'));
    await started.statusesOf(lost, 2);
    const failure = started.changes().find(({ value }) => value.statuses?.[0]?.['status'] === 'failed' && value.statuses[0]['id'] === lost);
    expect(failure?.value.contacts).toBeUndefined();
    expect(failure?.value.statuses?.[0]).not.toHaveProperty('recipient_user_id');
  });

  it('posts only sent for a reaction, and 131009 for one to an unknown message', async () => {
    const written = await started.receive();
    const react = (message_id: string) => started.send({ type: 'reaction', reaction: { message_id, emoji: '👍' } });
    const [known, unknown] = [idOf(await react(written)), idOf(await react('wamid.unknown'))];
    const [, failed] = await started.statusesOf(unknown, 2);
    expect(failed).toMatchObject({ status: 'failed', errors: [{ code: 131009 }] });
    await started.statusesOf(known, 1);
    expect(started.simulator.engine.state().filter(({ messageId }) => messageId === known)).toEqual([]);
  });

  it.each([
    [buttons(reply('yes', 'Yes, please'), reply('no')), { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes, please' } }],
    [list({ rows: [row('1'), row('2')] }), { type: 'list_reply', list_reply: { id: '1', title: 'Row 1' } }],
  ])('§8.3: number 62 taps the first choice', async (message, tapped) => {
    await started.receive({}, '12015550162');
    const id = idOf(await started.send(message, '12015550162'));
    const reply = await eventually(() => started.messages().find(({ context }) => (context as { id?: string })?.id === id));
    expect(reply).toMatchObject({ type: 'interactive', interactive: tapped });
  });

  it('§8.1: makes ids in the platform’s layout, some with + or /', () => {
    const random = new SeededRandom(1).next;
    const ids = Array.from({ length: 200 }, () => messageId('12015550102', random));
    for (const id of ids) {
      const bytes = Buffer.from(id.slice('wamid.'.length), 'base64');
      expect([...bytes.subarray(0, 3)]).toEqual([0x1c, 0x18, 11]);
      expect(bytes.subarray(3, 14).toString()).toBe('12015550102');
      expect(bytes).toHaveLength(3 + 11 + 6 + 18 + 1);
    }
    for (const sign of ['+', '/']) expect(ids.some((id) => id.includes(sign))).toBe(true);
  });
});
