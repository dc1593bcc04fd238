/** The senders of messages, by `sent_by` of the API. */
export const SENDERS = [
  { value: 'api', label: 'API' },
  { value: 'agent', label: 'Agent' },
  { value: 'broadcast', label: 'Broadcast' },
  { value: 'ai', label: 'Auto-reply' },
];

export const senderName = (sentBy: string): string => SENDERS.find(({ value }) => value === sentBy)?.label ?? sentBy;
