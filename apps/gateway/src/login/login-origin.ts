import type { FastifyRequest } from 'fastify';
import { sessionToken } from '../sessions/session-cookie';

/** The browser that logs in. */
export interface LoginOrigin {
  ip: string;
  userAgent: string | null;
  /** The token of the browser's current session, which the new login ends. */
  currentToken: string | null;
}

export function originOf({ headers, ip }: FastifyRequest): LoginOrigin {
  return { ip, userAgent: headers['user-agent'] ?? null, currentToken: sessionToken(headers.cookie) };
}
