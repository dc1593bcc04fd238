import type { Schemas } from '../../api/client';
import { phoneShown } from '../../components/phone-shown';
import { visibleName } from '../../components/visible-name';

export type Conversation = Schemas['Thread']['conversation'];
export type ListedConversation = Schemas['Conversations']['conversations'][number];
export type InboxCounts = Schemas['Conversations']['counts'];

/** The name, or else the number. */
export const nameOf = ({ customer_name, customer_phone }: Pick<Conversation, 'customer_name' | 'customer_phone'>) =>
  visibleName(customer_name) || phoneShown(customer_phone);

/** Whether every message to the person is refused; `opted_out_marketing` stops MARKETING templates only. */
export const isUnreachable = ({ suppression_state }: Pick<Conversation, 'suppression_state'>): boolean =>
  suppression_state === 'opted_out' || suppression_state === 'blocked';

const ORDER = 'Waiting customers first, by their latest message';
export const VIEWS = [
  { view: 'mine', label: 'Mine', order: ORDER, empty: 'Conversations that are assigned to you appear here.' },
  { view: 'unassigned', label: 'Unassigned', order: ORDER, empty: 'Open conversations that nobody handles appear here.' },
  { view: 'open', label: 'Open', order: ORDER, empty: 'When a customer writes to your number, the conversation appears here.' },
  {
    view: 'closed',
    label: 'Closed',
    order: 'By the customer’s latest message',
    empty: 'Conversations that somebody closed appear here until the customer writes again.',
  },
  {
    view: 'all',
    label: 'All',
    order: 'Waiting customers first, closed last, by their latest message',
    empty: 'When a customer writes to your number, the conversation appears here.',
  },
] as const;
export type View = (typeof VIEWS)[number]['view'];

/** Every conversation is open or closed. */
export const countOf = (view: View, counts: InboxCounts): number => (view === 'all' ? counts.open + counts.closed : counts[view]);
