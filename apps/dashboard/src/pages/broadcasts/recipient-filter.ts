import type { paths } from '../../api/schema';

type Query = NonNullable<paths['/api/client/broadcasts/{id}/recipients']['get']['parameters']['query']>;
export type RecipientFilter = NonNullable<Query['state']>;

export const RECIPIENT_FILTERS: { value: RecipientFilter; label: string }[] = [
  { value: 'pending', label: 'To go' },
  { value: 'sending', label: 'Being sent' },
  { value: 'sent', label: 'Sent' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'read', label: 'Read' },
  { value: 'replied', label: 'Replied' },
  { value: 'failed', label: 'Failed' },
  { value: 'unclear', label: 'Not confirmed' },
];

/** The recipients that the page shows, from its address. */
export interface Recipients {
  state: RecipientFilter | undefined;
  phone: string | undefined;
  reason: string | undefined;
}

export const ALL_RECIPIENTS: Recipients = { state: undefined, phone: undefined, reason: undefined };

/** The parameters of a request, without those that filter nothing. */
export const recipientQuery = ({ state, phone, reason }: Recipients) => ({
  ...(state && { state }),
  ...(phone && { phone }),
  ...(reason && { reason }),
});
