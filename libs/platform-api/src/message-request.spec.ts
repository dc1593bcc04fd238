import type { InteractiveContent } from '@mgw/contracts';
import {
  asReply,
  contactsMessage,
  interactiveMessage,
  locationMessage,
  mediaMessage,
  reactionMessage,
  templateMessage,
  textMessage,
} from './message-request';

describe('requests to the platform (platform §1)', () => {
  it('writes a text with the leading plus, link preview and our intent id (case g01)', () => {
    expect(textMessage('919000055501', 'Your stole ships today: https://kaveri.example/t/2291', 'intent-1')).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+919000055501',
      type: 'text',
      text: { preview_url: true, body: 'Your stole ships today: https://kaveri.example/t/2291' },
      biz_opaque_callback_data: 'intent-1',
    });
  });

  it('names a business-scoped user id as recipient, never as to (platform §0.12)', () => {
    const request = textMessage('IN.7300048815526109342', 'hello', 'intent-1');
    expect(request.recipient).toBe('IN.7300048815526109342');
    expect(request).not.toHaveProperty('to');
  });

  it('writes a template with its components (case g02)', () => {
    const components = [{ type: 'body' as const, parameters: [{ type: 'text' as const, text: 'Devanshi' }] }];
    expect(templateMessage('919000055501', { name: 'dispatch_notice', language: 'en', components }, 'intent-2')).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+919000055501',
      type: 'template',
      template: { name: 'dispatch_notice', language: { code: 'en' }, components },
      biz_opaque_callback_data: 'intent-2',
    });
  });

  it('leaves components out when the template has no variables (platform §1.4)', () => {
    const { template } = templateMessage('919000055501', { name: 'hello', language: 'en', components: [] }, 'intent-3');
    expect(template).toEqual({ name: 'hello', language: { code: 'en' } });
  });

  const media = { type: 'audio' as const, file: { link: 'https://kaveri.example/a.ogg' }, caption: null, filename: null };
  it.each([
    ['a text without preview', textMessage('1', 'Hi', 'i', false), { text: { preview_url: false, body: 'Hi' } }],
    ['a reply', asReply(textMessage('1', 'Hi', 'i'), 'wamid.0'), { type: 'text', context: { message_id: 'wamid.0' } }],
    ['a voice note', mediaMessage('1', { ...media, voice: true }, 'i'), { audio: { link: 'https://kaveri.example/a.ogg', voice: true } }],
    ['a location', locationMessage('1', { latitude: 1.5, longitude: 2 }, 'i'), { location: { latitude: 1.5, longitude: 2 } }],
    ['contacts', contactsMessage('1', [{ name: { formatted_name: 'A' } }], 'i'), { contacts: [{ name: { formatted_name: 'A' } }] }],
    ['a reaction', reactionMessage('1', 'wamid.0', '👍', 'i'), { reaction: { message_id: 'wamid.0', emoji: '👍' } }],
    ['a removed reaction', reactionMessage('1', 'wamid.0', null, 'i'), { reaction: { message_id: 'wamid.0', emoji: '' } }],
  ])('writes %s (platform §1.2, §1.3, §1.7)', (_, request, expected) => {
    expect(request).toMatchObject(expected);
  });

  it.each<[InteractiveContent, object]>([
    [
      { kind: 'buttons', body: 'B', buttons: [{ id: 'a', title: 'A' }], header: { type: 'text', text: 'H' }, footer: 'F' },
      {
        type: 'button',
        header: { type: 'text', text: 'H' },
        body: { text: 'B' },
        footer: { text: 'F' },
        action: { buttons: [{ type: 'reply', reply: { id: 'a', title: 'A' } }] },
      },
    ],
    [
      { kind: 'list', body: 'B', list: { button: 'Choose', sections: [{ rows: [{ id: 'a', title: 'A' }] }] } },
      { type: 'list', body: { text: 'B' }, action: { button: 'Choose', sections: [{ rows: [{ id: 'a', title: 'A' }] }] } },
    ],
    [
      {
        kind: 'link',
        body: 'B',
        link: { text: 'Open', url: 'https://kaveri.example' },
        header: { type: 'image', media_url: 'https://kaveri.example/a.png' },
      },
      {
        type: 'cta_url',
        header: { type: 'image', image: { link: 'https://kaveri.example/a.png' } },
        body: { text: 'B' },
        action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://kaveri.example' } },
      },
    ],
    [
      { kind: 'location_request', body: 'B' },
      { type: 'location_request_message', body: { text: 'B' }, action: { name: 'send_location' } },
    ],
    [
      { kind: 'flow', body: 'B', flow: { flow_id: '7', cta: 'Start', screen: 'SIZE', data: { size: 'M' } } },
      {
        type: 'flow',
        body: { text: 'B' },
        action: {
          name: 'flow',
          parameters: {
            flow_message_version: '3',
            flow_token: 'i',
            flow_id: '7',
            flow_cta: 'Start',
            flow_action: 'navigate',
            flow_action_payload: { screen: 'SIZE', data: { size: 'M' } },
          },
        },
      },
    ],
  ])('writes an interactive message: %j (platform §1.7)', (content, interactive) => {
    expect(interactiveMessage('1', content, 'i')).toMatchObject({ type: 'interactive', interactive });
    expect(interactiveMessage('1', content, 'i')['interactive']).toEqual(interactive);
  });
});
