/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { queries } from '../../api/client';
import { draw } from '../../page.fixture';
import { listedConversation } from './conversation.fixture';
import { ConversationRow } from './conversation-row';

const conversation = listedConversation(1, {
  customer_phone: '919876543210',
  customer_name: 'Asha Order',
  last_message: { direction: 'in', type: 'text', text: 'Thanks!', at: '2026-01-02T03:04:05.000Z', author: null },
});
function Row(row: Partial<Parameters<typeof ConversationRow>[0]>) {
  queries.setQueryData(['me'], { user: { id: 1 } });
  return <ConversationRow conversation={conversation} search="" isOpen={false} onOpen={jest.fn()} {...row} />;
}
const found = { message_id: 'wamid.1', direction: 'out' as const, text: 'Your order is late', at: '2026-01-01T03:04:05.000Z' };
const marked = () => Array.from(document.querySelectorAll('mark'), ({ textContent }) => textContent);

describe('a conversation in a search (decision 510)', () => {
  it('shows the message that was found in place of the last one, with the words of the search', () => {
    draw(<Row conversation={{ ...conversation, found }} search="late order" />);
    const { textContent } = document.body;
    expect(textContent).toContain('Sent: Your order is late');
    expect(textContent).not.toContain('Thanks!');
    expect(marked()).toEqual(['Order', 'order', 'late']);
  });

  it('shows the last message without a search', () => {
    draw(<Row />);
    expect(document.body.textContent).toContain('Thanks!');
    expect(marked()).toEqual([]);
  });
});

describe('the last message in the list', () => {
  it.each([
    ['You: ', 'agent', { id: 1, name: 'Asha' }],
    ['Ben: ', 'agent', { id: 2, name: 'Ben' }],
    ['Former colleague: ', 'agent', { id: 3, name: '' }],
    ['API: ', 'api', null],
    ['Automatic reply: ', 'ai', null],
    ['Broadcast: ', 'broadcast', null],
    ['', null, null],
  ])('names its author: %s', (named, sent_by, author) => {
    const last_message = { direction: 'out' as const, type: 'text', text: 'On its way', at: conversation.created_at, sent_by, author };
    draw(<Row conversation={{ ...conversation, customer_name: '', last_message }} />);
    // The name and the time share the first line.
    expect(document.querySelector('time')?.parentElement?.nextElementSibling?.textContent).toBe(`${named}On its way`);
  });
});
