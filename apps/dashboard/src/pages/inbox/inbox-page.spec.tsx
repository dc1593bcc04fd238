/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { createMemoryHistory, createRouter, RouterProvider } from '@tanstack/react-router';
import { cleanup, screen, waitFor } from '@testing-library/react';
import { draw, press, sent, type } from '../../page.fixture';
import { router } from '../../router';
import type { ListedConversation } from './conversation';
import type { ThreadMessage } from './thread-message';

const AT = '2026-11-23T09:00:00.000Z';
const conversation = (id: number, more: Partial<ListedConversation> = {}): ListedConversation => ({
  id,
  customer_phone: `1201555010${id}`,
  customer_name: `Person ${id}`,
  session_window: { open: true, last_inbound_at: AT, closes_at: '2126-11-24T09:00:00.000Z' },
  suppression_state: null,
  assigned_to: null,
  status: 'open',
  unread_count: 0,
  waiting_since: null,
  labels: [],
  auto_reply: true,
  first_inbound_at: AT,
  last_message: null,
  created_at: AT,
  needs_agent: null,
  ...more,
});
const message = (message_id: string, more: Partial<ThreadMessage> = {}): ThreadMessage => ({
  message_id,
  direction: 'in',
  type: 'text',
  text: `Text of ${message_id}`,
  media: null,
  sent_by: null,
  template: null,
  at: AT,
  author: null,
  api_key: null,
  delivery_status: null,
  failure_reason: null,
  ...more,
});
const counts = { mine: 0, unassigned: 3, open: 3, closed: 1, unread: 1, waiting: 0 };

/** Opens the inbox by its address. @returns its present search values */
function open(address: string, listed: ListedConversation[], routes: Parameters<typeof draw>[1] = {}) {
  cleanup();
  const opened = createRouter({ routeTree: router.routeTree, history: createMemoryHistory({ initialEntries: [address] }) });
  const threads = Object.fromEntries(
    listed.map((one) => [
      `GET /api/client/conversations/${one.id}/messages`,
      () => ({ conversation: one, messages: [message(`wamid.${one.id}`)], next_cursor: null }),
    ]),
  );
  draw(<RouterProvider router={opened} />, {
    'GET /api/client/me': () => ({ user: { id: 1, name: 'Asha', role: 'agent' }, business: { id: 1, name: 'Kaveri', plan: 'Growth' } }),
    'GET /api/client/conversations': () => ({ conversations: listed, counts, waiting_since: null, next_cursor: null }),
    'GET /api/client/team': () => ({ users: [{ id: 1, name: 'Asha' }] }),
    'GET /api/client/labels': () => ({ labels: [] }),
    'GET /api/client/quick-replies': () => ({ quick_replies: [] }),
    'GET /api/client/templates': () => ({ templates: [] }),
    ...threads,
    ...routes,
  });
  return () => opened.latestLocation.search as Record<string, string>;
}

const three = [conversation(1), conversation(2), conversation(3)];

describe('the inbox (additions §9)', () => {
  it('quick replies: adding one sends no half-written reply', async () => {
    open('/inbox?id=1', three, { 'POST /api/client/quick-replies': () => ({ id: 1, message: 'Created.' }) });
    await type('Reply', 'half a rep');
    await press('Quick replies');
    const dialog = await screen.findByRole('dialog', { name: 'Quick replies' });
    await type(/^Shortcut/, 'hours');
    await type(/^Text/, 'From 9 to 18.');
    await press('Add', 'button', dialog);
    await waitFor(() => expect(sent()).toHaveLength(1));
    expect(sent()[0]?.route).toBe('POST /api/client/quick-replies');
    expect(screen.getByLabelText<HTMLTextAreaElement>('Reply').value).toBe('half a rep');
  });
});
