import type { ConversationRecord } from '@mgw/contracts';

/** A conversation with an open window, as the send service returns it. */
export function sampleConversation(change: Partial<ConversationRecord> = {}): ConversationRecord {
  return {
    id: 1,
    customer_phone: '12015550100',
    customer_name: '',
    session_window: { open: true, last_inbound_at: null, closes_at: null },
    suppression_state: null,
    assigned_to: null,
    status: 'open',
    unread_count: 0,
    waiting_since: null,
    last_received_at: null,
    labels: [],
    auto_reply: true,
    first_inbound_at: null,
    last_message: null,
    created_at: new Date().toISOString(),
    ...change,
  };
}

export const NO_COUNTS = { mine: 0, unassigned: 0, open: 0, closed: 0, unread: 0, waiting: 0 };
