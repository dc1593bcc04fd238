import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The caller's id if it is a short plain token, else a new one (decision 3). */
export function requestId({ headers }: IncomingMessage): string {
  const id = headers['x-request-id'];
  return typeof id === 'string' && /^[\w.:-]{1,128}$/.test(id) ? id : randomUUID();
}
