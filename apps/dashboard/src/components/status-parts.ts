import type { MessageCounts } from '../api/message-counts';
import type { Part } from './bar';

type Counts = NonNullable<MessageCounts['previous']>;

/** The statuses of messages as parts of a bar, the lowest first, with the word of the API. */
export const STATUS_PARTS: (Part & { status: string })[] = [
  { name: 'read', color: 'green-6', status: 'read' },
  { name: 'delivered', color: 'teal-4', status: 'delivered' },
  { name: 'on the way', color: 'blue-4', status: 'sent' },
  { name: 'failed', color: 'red-6', status: 'failed' },
];

/** The counts in disjoint parts. */
export const statusValues = ({ sent, delivered, read, failed, refused }: Counts): number[] => [
  read,
  delivered - read,
  sent - delivered - failed,
  failed + refused,
];
