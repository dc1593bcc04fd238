/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { draw } from '../../page.fixture';
import { ConversationRow } from './conversation-row';

const conversation: Parameters<typeof ConversationRow>[0]['conversation'] = {
  id: 1,
  customer_phone: '919876543210',
  customer_name: 'Asha Order',
  session_window: { open: true, last_inbound_at: null, closes_at: null },
  suppression_state: null,
  assigned_to: null,
  status: 'open',
  unread_count: 0,
  waiting_since: null,
  labels: [],
  auto_reply: true,
  first_inbound_at: null,
  last_message: { direction: 'in', type: 'text', text: 'Thanks!', at: '2026-01-02T03:04:05.000Z' },
  created_at: '2026-01-02T03:04:05.000Z',
  needs_agent: null,
};
const found = { message_id: 'wamid.1', direction: 'out' as const, text: 'Your order is late', at: '2026-01-01T03:04:05.000Z' };
const marked = () => Array.from(document.querySelectorAll('mark'), ({ textContent }) => textContent);

describe('a conversation in a search (decision 510)', () => {
  it('shows the message that was found in place of the last one, with the words of the search', () => {
    draw(<ConversationRow conversation={{ ...conversation, found }} search="late order" isOpen={false} onOpen={jest.fn()} />);
    const { textContent } = document.body;
    expect(textContent).toContain('You: Your order is late');
    expect(textContent).not.toContain('Thanks!');
    expect(marked()).toEqual(['Order', 'order', 'late']);
  });

  it('shows the last message without a search', () => {
    draw(<ConversationRow conversation={conversation} search="" isOpen={false} onOpen={jest.fn()} />);
    expect(document.body.textContent).toContain('Thanks!');
    expect(marked()).toEqual([]);
  });
});
