import type { Schemas } from '../../api/client';

type Progress = Pick<Schemas['Broadcast'], 'status' | 'pending' | 'unclear'>;

/** Whether nothing is left to send, and the end waits for WhatsApp to confirm messages (decision 241). */
export const isWaiting = ({ status, pending, unclear }: Progress): boolean => status === 'running' && pending === 0 && unclear > 0;

export const isSending = (broadcast: Progress): boolean => broadcast.status === 'running' && !isWaiting(broadcast);
