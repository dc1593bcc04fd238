import type { ListedConversation } from './conversation';

const AT = '2026-11-23T09:00:00.000Z';

/** A conversation with an open window, as the gateway lists it. */
export function listedConversation(id: number, more: Partial<ListedConversation> = {}): ListedConversation {
  return {
    id,
    customer_phone: `1201555010${id}`,
    customer_name: `Person ${id}`,
    session_window: { open: true, last_inbound_at: AT, closes_at: '2126-11-24T09:00:00.000Z' },
    suppression_state: null,
    assigned_to: null,
    status: 'open',
    unread_count: 0,
    waiting_since: null,
    last_received_at: AT,
    labels: [],
    auto_reply: true,
    first_inbound_at: AT,
    last_message: null,
    created_at: AT,
    needs_agent: null,
    ...more,
  };
}
