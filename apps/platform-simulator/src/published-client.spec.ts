import { eventually, sideBySide, startReceiver } from '@mgw/testing';
import { WhatsAppAPI } from 'whatsapp-api-js';
import type { OnMessageArgs, OnStatusArgs } from 'whatsapp-api-js/emitters';
import {
  ActionButtons,
  ActionCTA,
  ActionList,
  ActionLocation,
  Address,
  Audio,
  Body,
  BodyComponent,
  BodyParameter,
  Button,
  Contacts,
  Document,
  Email,
  Footer,
  Header,
  HeaderComponent,
  HeaderParameter,
  Image,
  Interactive,
  ListSection,
  Location,
  Name,
  Phone,
  Reaction,
  Row,
  Sticker,
  Template,
  Text,
  URLComponent,
  Video,
} from 'whatsapp-api-js/messages';
import type { ClientMessage } from 'whatsapp-api-js/types';
import { createSimulator } from './simulator';

const SECRET = 'simulated secret';
const NUMBER = '700100200300401';
const PERSON = '919876543210';
const IMAGE = 'https://files.example/a.jpg';

/** A simulator, and a client whose handlers collect what it reads. */
async function startClient() {
  const receiver = await startReceiver();
  const simulator = createSimulator({ callbackUrl: `${receiver.url}/webhooks/whatsapp`, appSecret: SECRET });
  const { url } = await simulator.listen();
  const statuses: OnStatusArgs[] = [];
  const messages: OnMessageArgs[] = [];
  const api = new WhatsAppAPI({
    token: 'EAAsimKaveri',
    appSecret: SECRET,
    v: 'v26.0',
    ponyfill: { fetch: (target, init) => fetch(String(target).replace('https://graph.facebook.com', url), init) },
  });
  api.on.status = (status) => void statuses.push(status);
  api.on.message = (message) => void messages.push(message);
  return {
    api,
    statuses,
    messages,
    /** The client verifies and reads all webhooks so far. */
    read: async () => {
      for (const { body, headers } of receiver.requests.splice(0))
        await api.post(JSON.parse(body), body, String(headers['x-hub-signature-256']));
    },
    send: (message: ClientMessage, to = PERSON) => api.sendMessage(NUMBER, { phone: to, bsuid: '' }, message, undefined, 'mine'),
    customerWrites: () =>
      fetch(`${url}/__sim/inbound`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ phone_number_id: NUMBER, from: PERSON, name: 'Asha', type: 'text', text: 'Hello' }),
      }),
    stop: async () => {
      await simulator.close();
      await receiver.close();
    },
  };
}

/** A published client of the platform, whose authors do not know this simulator (decision 229). */
describe('whatsapp-api-js works with the simulator like with the platform (platform §8)', () => {
  const test = sideBySide(startClient, (client) => client.stop());

  const body = (...values: [string, ...string[]]) => {
    const [first, ...rest] = values.map((value) => new BodyParameter(value));
    if (first === undefined) throw new Error('no values');
    return new BodyComponent(first, ...rest);
  };
  const sendable: [string, ClientMessage][] = [
    ['text', new Text('Good morning', true)],
    ['image', new Image(IMAGE, false, 'A caption')],
    ['video', new Video('https://files.example/a.mp4', false, 'A caption')],
    ['audio', new Audio('https://files.example/a.mp3')],
    ['document', new Document('https://files.example/a.pdf', false, 'A caption', 'a.pdf')],
    ['sticker', new Sticker('https://files.example/a.webp')],
    ['location', new Location(-0.5, 52.1, 'Mill', 'Lane 1')],
    [
      'contacts',
      new Contacts([
        new Name('Asha Rao', 'Asha', 'Rao'),
        new Phone('+1 201 555 0100', 'WORK', '12015550100'),
        new Email('asha@example.com', 'WORK'),
        new Address('United States', 'US', 'FL', 'Miami', '221B Baker Street', '33101', 'HOME'),
      ]),
    ],
    [
      'reply buttons',
      new Interactive(
        new ActionButtons(new Button('yes', 'Yes'), new Button('no', 'No')),
        new Body('Shall we?'),
        new Header(new Image(IMAGE)),
        new Footer('Shop'),
      ),
    ],
    [
      'list',
      new Interactive(
        new ActionList('Show', new ListSection('One', new Row('1', 'First', 'A row')), new ListSection('Two', new Row('2', 'Second'))),
        new Body('Choose'),
        new Header('Rows'),
      ),
    ],
    ['link button', new Interactive(new ActionCTA('Open', 'https://shop.example'), new Body('Look'))],
    ['question for the place', new Interactive(new ActionLocation(), new Body('Where are you?'))],
    ['template without parameters', new Template('hello_world', 'en_US')],
    ['template with a body', new Template('order_update', 'en', body('Asha', '1007'))],
    [
      'template with header, body and button',
      new Template(
        'dispatch_notice',
        'en',
        new HeaderComponent(new HeaderParameter('1007')),
        body('Asha', '1007', 'Monday'),
        new URLComponent('1007'),
      ),
    ],
    [
      'template with a document',
      new Template('invoice', 'en', new HeaderComponent(new HeaderParameter(new Document('https://files.example/a.pdf'))), body('Asha')),
    ],
    [
      'template with names',
      new Template('welcome_named', 'en', new BodyComponent(new BodyParameter('Asha', 'first_name'), new BodyParameter('Kaveri', 'shop'))),
    ],
  ];
  for (const [name, message] of sendable)
    test(`sends ${name}, and receives sent, delivered and read`, async ({ customerWrites, send, read, statuses }) => {
      // A customer's message opens the window.
      await customerWrites();
      const response = await send(message);
      expect(response).toMatchObject({
        messaging_product: 'whatsapp',
        contacts: [{ input: PERSON, wa_id: PERSON }],
        messages: [{ id: expect.stringMatching(/^wamid\./) }],
      });
      await eventually(async () => {
        await read();
        return statuses.length === 3;
      });
      expect(statuses.map(({ status }) => status)).toEqual(['sent', 'delivered', 'read']);
      const id = 'messages' in response ? response.messages[0].id : '';
      expect(statuses[0]).toMatchObject({ phoneID: NUMBER, phone: PERSON, id, biz_opaque_callback_data: 'mine' });
    });

  test('reads a customer’s message and sends a read receipt', async ({ customerWrites, read, messages }) => {
    await customerWrites();
    const [message] = await eventually(async () => {
      await read();
      return messages.length > 0 && messages;
    });
    expect(message).toMatchObject({ phoneID: NUMBER, from: PERSON, name: 'Asha', message: { type: 'text', text: { body: 'Hello' } } });
    expect(await message?.received()).toEqual({ success: true });
  });

  test('sends and removes a reaction to a customer’s message', async ({ customerWrites, read, send, messages, statuses }) => {
    await customerWrites();
    const [message] = await eventually(async () => {
      await read();
      return messages.length > 0 && messages;
    });
    const id = String(message?.message.id);
    for (const emoji of ['👍', '']) expect(await send(new Reaction(id, emoji))).toMatchObject({ messages: [{}] });
    await eventually(async () => {
      await read();
      return statuses.length === 2;
    });
    expect(statuses.map(({ status }) => status)).toEqual(['sent', 'sent']);
  });

  test('uploads a file, sends it by id, describes, fetches and deletes it', async ({ customerWrites, send, api }) => {
    await customerWrites();
    const form = new FormData();
    form.set('file', new Blob(['%PDF-1.4'], { type: 'application/pdf' }), 'a.pdf');
    const uploaded = await api.uploadMedia(NUMBER, form);
    const id = 'id' in uploaded ? uploaded.id : '';
    expect(await send(new Document(id, true, 'A caption', 'a.pdf'))).toMatchObject({ messages: [{ id: expect.stringMatching(/^wamid/) }] });
    const described = await api.retrieveMedia(id, NUMBER);
    expect(described).toMatchObject({ id, mime_type: 'application/pdf', file_size: 8 });
    const file = await api.fetchMedia('url' in described ? described.url : '');
    expect(await file.text()).toBe('%PDF-1.4');
    expect(await api.deleteMedia(id)).toEqual({ success: true });
  });

  test('reads a refusal as an error and a failure with its code', async ({ send, read, statuses }) => {
    expect(await send(new Template('no_such_template', 'en'))).toMatchObject({ error: { code: 132001, type: 'OAuthException' } });
    await send(new Template('hello_world', 'en_US'), '12015550120');
    const failed = await eventually(async () => {
      await read();
      return statuses.find(({ status }) => status === 'failed');
    });
    expect(failed.error).toMatchObject({ code: 131026 });
  });
});
