/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { MediaSize } from './media-size';
import { MessageBubble } from './message-bubble';
import type { ThreadMessage } from './thread-message';

const received: ThreadMessage = {
  message_id: 'wamid.1',
  direction: 'in',
  type: 'text',
  text: '',
  media: null,
  sent_by: null,
  template: null,
  at: '2026-01-02T03:04:05.000Z',
  delivery_status: null,
  failure_reason: null,
  author: null,
  api_key: null,
};
const sent: ThreadMessage = { ...received, direction: 'out', sent_by: 'agent', author: { id: 1, name: 'Meera' }, delivery_status: 'read' };

/** The HTML of a bubble, without styles. */
const shown = (message: ThreadMessage, others: ThreadMessage[] = []) =>
  renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider>
        <MessageBubble message={message} messages={[message, ...others]} customer="Asha" />
      </MantineProvider>
    </QueryClientProvider>,
  ).replace(/<style.*?<\/style>| (style|class|data-[\w-]+)="[^"]*"/gs, '');
const file = (type: string, more: Partial<ThreadMessage> = {}) =>
  shown({ ...received, type, media: { type, id: 'a/1', mime_type: '' }, ...more });

describe('a bubble of the inbox (decision 391)', () => {
  it('shows files by the gateway, within a fixed box or on request', () => {
    expect(file('image')).toMatch(/<img src="\/api\/client\/media\/a%2F1" alt="Picture" loading="lazy" width="260" height="170"/);
    expect(file('sticker')).toContain('aria-label="Open sticker"');
    expect(file('audio', { voice: true })).toMatch(/<audio .*preload="none" aria-label="Voice message"/);
    expect(file('video')).toMatch(/<video .*preload="none"/);
    expect(file('document', { filename: 'PO "1".pdf' })).toMatch(/href="\/api\/client\/media\/a%2F1".*PO &quot;1&quot;\.pdf/);
    expect(shown({ ...sent, type: 'image', media_url: 'https://example.com/a.png' })).toContain('href="https://example.com/a.png"');
    expect(shown({ ...sent, type: 'image', media_id: '7' })).toMatch(/<img src="\/api\/client\/media\/7" alt="Picture"/);
    expect(shown({ ...sent, type: 'document', media_id: '7', filename: 'PO.pdf' })).toMatch(/href="\/api\/client\/media\/7".*PO\.pdf/);
    const offer = { kind: 'buttons' as const, body: 'x', buttons: [], header: { type: 'video' as const, media_id: '8' } };
    expect(shown({ ...sent, type: 'interactive', offer })).toMatch(/<video src="\/api\/client\/media\/8"/);
  });

  it('shows that a file cannot be downloaded, with its type if it is known', () => {
    const client = new QueryClient();
    client.setQueryData(['media', 'a/1'], null);
    const about = (type: string) =>
      renderToStaticMarkup(
        <QueryClientProvider client={client}>
          <MediaSize id="a/1" type={type} />
        </QueryClientProvider>,
      );
    expect([about('application/pdf'), about('')]).toEqual(['PDF, cannot be downloaded now', 'Cannot be downloaded now']);
  });

  it('shows sent and received locations, cards and orders', () => {
    for (const message of [received, sent]) {
      expect(shown({ ...message, type: 'location', location: { latitude: 1.5, longitude: 2, name: 'Shop' } })).toMatch(/Shop.*1\.5, 2/);
      const contacts = [{ name: { formatted_name: 'Asha Rao' }, phones: [{ phone: '+91 1' }] }, null];
      expect(shown({ ...message, type: 'contacts', contacts: contacts as never })).toMatch(/Asha Rao.*aria-label="Copy \+91 1"/);
    }
    const silk = { product_retailer_id: 'SILK-1', quantity: 2, item_price: 1890.5, currency: 'INR' };
    const order = { product_items: [silk, { ...silk, item_price: 1890, currency: 'JPY' }, { ...silk, currency: 'rupees' }, 7] };
    expect(shown({ ...received, type: 'order', order })).toMatch(/2 × SILK-1.*₹1,890\.50.*¥1,890<.*1890\.5 rupees/);
  });

  it('shows buttons, lists and links as a phone does', () => {
    const offer = { kind: 'buttons' as const, body: 'When?', footer: 'Kaveri', buttons: [{ id: 'am', title: 'Morning' }] };
    expect(shown({ ...sent, type: 'interactive', text: 'When?', offer })).toMatch(/When\?.*Kaveri.*Morning/);
    const list = { button: 'Choose', sections: [{ title: 'Silk', rows: [{ id: '1', title: 'Blue', description: 'Dark' }] }] };
    expect(shown({ ...sent, offer: { kind: 'list', body: 'x', list } })).toMatch(/<summary>☰ Choose<\/summary>.*Silk.*Blue.*Dark/);
    expect(shown({ ...sent, offer: { kind: 'link', body: 'x', link: { text: 'Track', url: 'https://a.example' } } })).toContain('↗ Track');
  });

  it('quotes the message that it replies to, and carries reactions, edits and deletions', () => {
    const reply = { ...received, message_id: 'wamid.2', text: 'Yes', context: { message_id: 'wamid.1', forwarded: true } };
    expect(shown(reply, [{ ...sent, text: 'The blue one?' }])).toMatch(/aria-label="Reply to".*Meera.*The blue one\?.*Yes.*forwarded/);
    expect(shown(reply)).toContain('An earlier message');
    const reaction = (emoji: string | null, direction: 'in' | 'out') => ({
      ...received,
      direction,
      reaction: { message_id: 'wamid.1', emoji },
    });
    expect(shown(received, [reaction('👍', 'in'), reaction('🙏', 'out')])).toContain('aria-label="Reactions: 👍 🙏"');
    expect(shown(received, [reaction('👍', 'in'), reaction(null, 'in')])).not.toContain('Reactions');
    expect(shown({ ...received, text: 'a', edited_at: received.at })).toContain('· edited');
    expect(shown({ ...received, text: 'a', deleted_at: received.at })).toContain('deleted by the customer');
  });

  it('names its author and its status, and shows formatting as elements', () => {
    expect(shown({ ...sent, text: '*Yes*' })).toMatch(/<strong>Yes<\/strong>.*<bdi>Meera<\/bdi> · .*aria-label="read"/);
    expect(shown({ ...sent, sent_by: 'api', author: null, api_key: { id: 1, name: 'Shop' } })).toContain('<bdi>API · Shop</bdi> · ');
    expect(shown({ ...sent, author: { id: 2, name: '' } })).toContain('<bdi>Former colleague</bdi> · ');
    expect(shown({ ...sent, delivery_status: 'failed', failure_reason: '131026: gone' })).toContain('Not delivered: 131026: gone');
    expect(shown({ ...received, text: '<img src=x onerror=alert(1)>' })).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });
});
