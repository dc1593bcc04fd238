import type { FastifyRequest } from 'fastify';

/** Seconds from the last use and from the login after which a session ends (spec §5.10, §10); the earlier one wins. */
export const IDLE_SECONDS = 12 * 3600;
export const ABSOLUTE_SECONDS = 7 * 24 * 3600;

/** The session cookie: only for /api of this host, and hidden from scripts (spec §4.9, §10). */
const NAME = 'token';
const VALUE = /(?:^|;)\s*token="?([\w-]{43})"?\s*(?:;|$)/;

/** The session token of a request, or null. One cookie with one form of value needs no parser library. */
export function sessionToken(cookieHeader: string | undefined): string | null {
  return VALUE.exec(cookieHeader ?? '')?.[1] ?? null;
}

/** The token of a session that its guard has found. */
export const ownToken = ({ headers }: Pick<FastifyRequest, 'headers'>): string => sessionToken(headers.cookie) ?? '';

/** @param secure whether the browser sends it over TLS only */
export function sessionCookie(token: string, secure: boolean): string {
  return attributes(token, ABSOLUTE_SECONDS, secure);
}

export function endedSessionCookie(secure: boolean): string {
  return attributes('', 0, secure);
}

function attributes(value: string, maxAge: number, secure: boolean): string {
  return `${NAME}=${value}; Max-Age=${maxAge}; Path=/api; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}
