import type { ConnectionCheck, GetCallbackTimes, ResponseOf } from '@mgw/contracts';

/**
 * Only what arrived proves that the callback URL is reachable from outside. The reader sees when, because an old time proves nothing about today.
 * @param times null if the ingest service did not respond
 */
export function receivedCheck(times: ResponseOf<typeof GetCallbackTimes> | null): ConnectionCheck {
  const check = { name: 'received', state: 'ok', fix: null } as const;
  if (times === null)
    return { ...check, state: 'unknown', message: 'The arrival of callbacks could not be read; check again in a moment', at: null };
  const { callback_at, handshake_at } = times;
  if (callback_at !== null) return { ...check, message: 'The last callback with a right signature arrived', at: callback_at };
  if (handshake_at !== null)
    return { ...check, message: 'No message or status has arrived yet, but WhatsApp verified the callback URL', at: handshake_at };
  return {
    ...check,
    state: 'problem',
    message: 'Nothing from WhatsApp has arrived yet',
    fix: 'In Meta’s console select Verify and save for the callback URL, then write a message to the number from a phone.',
    at: null,
  };
}
