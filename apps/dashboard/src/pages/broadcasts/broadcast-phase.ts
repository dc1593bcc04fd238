import type { Schemas } from '../../api/client';

type Progress = Pick<Schemas['Broadcast'], 'status' | 'pending' | 'unclear'>;

/** Whether nothing is left to send, and the end waits for WhatsApp to confirm messages (decision 241). */
export const isWaiting = ({ status, pending, unclear }: Progress): boolean => status === 'running' && pending === 0 && unclear > 0;

export const isSending = (broadcast: Progress): boolean => broadcast.status === 'running' && !isWaiting(broadcast);

/** Whether its start has come, and it waits because one broadcast of a business runs at a time (decision 115). */
export const isQueued = ({ status, scheduled_at }: Pick<Schemas['Broadcast'], 'status' | 'scheduled_at'>): boolean =>
  status === 'scheduled' && (scheduled_at === null || Date.parse(scheduled_at) <= Date.now());
