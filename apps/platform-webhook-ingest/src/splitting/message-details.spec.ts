import type { DataOf, PlatformMessage } from '@mgw/contracts';
import type { ConnectionMap } from '../connections/connection-map';
import { readCallback } from './read-callback';
import { splitCallback } from './split-callback';

type Data = DataOf<typeof PlatformMessage>;

const OWNERS = { isConnected: () => true, ownerOfNumber: () => 1, ownersOfAccount: () => [1] } as unknown as ConnectionMap;
const SENDER = { from: '919000055501', from_user_id: 'IN.7300048815526109342', id: 'wamid.1', timestamp: '1795176000' };
const CONTACT = { profile: { name: 'Devanshi K.' }, wa_id: '919000055501', user_id: 'IN.7300048815526109342' };
const HEX = '0d'.repeat(32);
const BASE64 = Buffer.from(HEX, 'hex').toString('base64');

/** The updates of a callback with this message. */
async function split(message: object, contact: object = CONTACT) {
  const value = { metadata: { phone_number_id: '701' }, contacts: [contact], messages: [{ ...SENDER, ...message }] };
  const body = Buffer.from(JSON.stringify({ entry: [{ id: '801', changes: [{ field: 'messages', value }] }] }));
  return splitCallback(readCallback(body), { body: body.toString(), businesses: [1] } as never, OWNERS);
}
async function dataOf(message: object, contact?: object): Promise<Data> {
  const { events, invalid } = await split(message, contact);
  expect(invalid).toEqual([]);
  return events[0]?.data as Data;
}
const detailsOf = async (message: object, contact?: object) => (await dataOf(message, contact)).details;

describe('details of customers’ messages (platform §4.4)', () => {
  it.each<[string, object, object | undefined]>([
    ['a plain text', { type: 'text', text: { body: 'Hi' } }, undefined],
    [
      'a reply',
      { type: 'text', text: { body: 'Yes' }, context: { from: '12025550101', id: 'wamid.0' } },
      { context: { message_id: 'wamid.0' } },
    ],
    ['a forwarded text', { type: 'text', text: { body: 'Look' }, context: { forwarded: true } }, { context: { forwarded: true } }],
    [
      'a text forwarded many times',
      { type: 'text', text: { body: 'Look' }, context: { frequently_forwarded: true } },
      { context: { forwarded: true } },
    ],
    ['a picture', { type: 'image', image: { id: '3', mime_type: 'image/jpeg', sha256: BASE64, caption: 'Left' } }, { sha256: HEX }],
    ['a voice note', { type: 'audio', audio: { id: '3', mime_type: 'audio/ogg; codecs=opus', voice: true } }, { voice: true }],
    ['a document', { type: 'document', document: { id: '3', filename: 'PO-2291.pdf' } }, { filename: 'PO-2291.pdf' }],
    ['a sticker', { type: 'sticker', sticker: { id: '3', animated: false } }, { animated: false }],
    [
      'a location',
      {
        type: 'location',
        location: { latitude: 12.97, longitude: 77.59, name: 'Showroom', address: '14 Weaver Street', url: 'https://x' },
      },
      { location: { latitude: 12.97, longitude: 77.59, name: 'Showroom', address: '14 Weaver Street' } },
    ],
    [
      'contacts',
      { type: 'contacts', contacts: [{ name: { formatted_name: 'Desk' }, phones: [{ phone: '+91 90000 55509', type: 'WORK' }] }] },
      { contacts: [{ name: { formatted_name: 'Desk' }, phones: [{ phone: '+91 90000 55509', type: 'WORK' }] }] },
    ],
    [
      'a button of a template',
      { type: 'button', button: { payload: 'REORDER', text: 'Reorder' }, context: { id: 'wamid.0' } },
      { context: { message_id: 'wamid.0' }, button: { payload: 'REORDER' } },
    ],
    [
      'a reply button',
      { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'am', title: 'Morning' } } },
      { interactive: { type: 'button_reply', id: 'am', title: 'Morning' } },
    ],
    [
      'a row of a list',
      {
        type: 'interactive',
        interactive: { type: 'list_reply', list_reply: { id: 's3', title: 'Silk, 3 m', description: 'In two days' } },
      },
      { interactive: { type: 'list_reply', id: 's3', title: 'Silk, 3 m', description: 'In two days' } },
    ],
    [
      'a flow',
      { type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"size":"M"}' } } },
      { interactive: { type: 'nfm_reply', title: 'flow', response: { size: 'M' } } },
    ],
    [
      'a reaction',
      { type: 'reaction', reaction: { message_id: 'wamid.0', emoji: '🧵' } },
      { reaction: { message_id: 'wamid.0', emoji: '🧵' } },
    ],
    ['a removed reaction', { type: 'reaction', reaction: { message_id: 'wamid.0' } }, { reaction: { message_id: 'wamid.0', emoji: null } }],
    [
      'an order',
      { type: 'order', order: { catalog_id: '5', text: 'Wrap it', product_items: [{ product_retailer_id: 'A', quantity: 2 }] } },
      { order: { catalog_id: '5', text: 'Wrap it', product_items: [{ product_retailer_id: 'A', quantity: 2 }] } },
    ],
    [
      'a text from an ad',
      {
        type: 'text',
        text: { body: 'Hi' },
        referral: {
          source_url: 'https://fb.example/7',
          source_id: '7',
          source_type: 'ad',
          headline: 'Week',
          body: '20 off',
          media_type: 'image',
          ctwa_clid: 'AR',
        },
      },
      {
        referral: {
          source_id: '7',
          source_type: 'ad',
          source_url: 'https://fb.example/7',
          headline: 'Week',
          body: '20 off',
          ctwa_clid: 'AR',
        },
      },
    ],
    [
      'an unsupported message',
      {
        type: 'unsupported',
        unsupported: { type: 'poll_creation' },
        errors: [{ code: 131051, title: 'Message type unknown', message: 'M' }],
      },
      { errors: [{ code: 131051, title: 'Message type unknown' }] },
    ],
    [
      'a file that failed',
      { type: 'video', errors: [{ code: 131052, message: 'Download' }] },
      { errors: [{ code: 131052, title: 'Download' }] },
    ],
  ])('reads %s', async (_, message, expected) => {
    expect(await detailsOf(message)).toEqual(expected);
  });

  it('has the username of the customer', async () => {
    const contact = { profile: { name: 'Ptolemy', username: 'ptolemy.quill' }, user_id: SENDER.from_user_id };
    expect(await detailsOf({ type: 'text', text: { body: 'Hi' } }, contact)).toEqual({ from_username: 'ptolemy.quill' });
  });

  it('reads the new text of an edit, its new caption, and a revocation', async () => {
    const edit = (message: object) => ({ type: 'edit', edit: { original_message_id: 'wamid.0', message } });
    expect(await dataOf(edit({ type: 'text', text: { body: 'Two, please' }, context: { id: 'M0' } }))).toMatchObject({
      type: 'edit',
      original_message_id: 'wamid.0',
      text: 'Two, please',
    });
    expect(await dataOf(edit({ type: 'image', image: { id: '3', caption: 'Right' } }))).toMatchObject({
      text: null,
      caption: 'Right',
      media: null,
    });
    const revoked = await dataOf({ type: 'revoke', revoke: { original_message_id: 'wamid.0' } });
    expect(revoked).toMatchObject({ type: 'revoke', original_message_id: 'wamid.0', text: null });
  });

  const deep = (levels: number): object => (levels === 0 ? {} : { x: deep(levels - 1) });
  const large = 'x'.repeat(40_000);

  it.each<[string, object, object]>([
    ['large contacts', { type: 'contacts', contacts: [{ vcard: large }] }, {}],
    ['deep contacts', { type: 'contacts', contacts: [deep(40)] }, {}],
    ['a large order', { type: 'order', order: { text: large }, context: { id: 'wamid.0' } }, { context: { message_id: 'wamid.0' } }],
    ['a deep order', { type: 'order', order: deep(40) }, {}],
    [
      'the large response of a flow, and keeps its name',
      { type: 'interactive', interactive: { nfm_reply: { name: 'flow', response_json: JSON.stringify({ large }) } } },
      { interactive: { type: 'nfm_reply', title: 'flow' } },
    ],
    [
      'the deep response of a flow',
      {
        type: 'interactive',
        interactive: { nfm_reply: { name: 'flow', response_json: `{"x":${'['.repeat(40_000)}${']'.repeat(40_000)}}` } },
      },
      { interactive: { type: 'nfm_reply', title: 'flow' } },
    ],
    ['a large referral', { type: 'text', text: { body: 'Hi' }, referral: { body: 'é'.repeat(20_000) } }, {}],
  ])('leaves out %s and marks the details as truncated', async (_, message, kept) => {
    expect(await detailsOf(message)).toEqual({ ...kept, details_truncated: true });
  });

  it('keeps details within 32 kB', async () => {
    const details = await detailsOf({ type: 'contacts', contacts: [{ vcard: 'x'.repeat(20_000) }], order: { text: 'x'.repeat(20_000) } });
    expect(details).toMatchObject({ contacts: [{}], details_truncated: true });
    expect(Buffer.byteLength(JSON.stringify(details))).toBeLessThanOrEqual(32 * 1024);
  });

  const TYPES = [
    'text',
    'image',
    'audio',
    'document',
    'sticker',
    'location',
    'contacts',
    'button',
    'interactive',
    'reaction',
    'order',
    'edit',
    'revoke',
    'toString',
  ];
  const MEMBERS = [...TYPES, 'context', 'referral', 'errors'];
  const NAMES = [
    'id',
    'body',
    'caption',
    'mime_type',
    'sha256',
    'voice',
    'button_reply',
    'list_reply',
    'nfm_reply',
    'latitude',
    'longitude',
    'message_id',
    'emoji',
    'original_message_id',
    'message',
    'payload',
    'source_id',
    'forwarded',
    'code',
  ];
  const VALUES: unknown[] = [
    null,
    0,
    1e308,
    true,
    '',
    'x',
    [],
    [null],
    [[]],
    {},
    { id: 7, title: {}, body: [], name: 3, latitude: '1', emoji: {} },
  ];

  it('takes values of wrong types in every member of every kind, and sets none aside', async () => {
    for (const type of TYPES)
      for (const value of VALUES) {
        const message = { type, ...Object.fromEntries(MEMBERS.map((name) => [name, value])) };
        const inner = {
          type,
          ...Object.fromEntries(MEMBERS.map((name) => [name, { ...Object.fromEntries(NAMES.map((one) => [one, value])) }])),
        };
        for (const one of [message, inner]) {
          const { events, invalid } = await split(one, { profile: { username: value }, wa_id: SENDER.from });
          expect([one, events.length, invalid]).toEqual([one, 1, []]);
        }
      }
  });

  it('cleans NUL and lone surrogates in the response of a flow', async () => {
    const interactive = { nfm_reply: { name: 'flow', response_json: '{"a":"1\\u0000","b":"2\\ud83d"}' } };
    expect(await detailsOf({ type: 'interactive', interactive })).toEqual({
      interactive: { type: 'nfm_reply', title: 'flow', response: { a: '1', b: '2\ufffd' } },
    });
  });
});
