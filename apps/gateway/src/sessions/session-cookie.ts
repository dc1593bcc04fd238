import { ABSOLUTE_SECONDS } from './session-life';

/** The cookie of spec §4.9 and product §2: for this host's /api only, out of reach of scripts. */
const NAME = 'token';
const VALUE = /(?:^|;)\s*token="?([\w-]{43})"?\s*(?:;|$)/;

/** The session that a request carries, or null. Written by hand: it is one cookie with a value of one shape. */
export function sessionToken(cookieHeader: string | undefined): string | null {
  return VALUE.exec(cookieHeader ?? '')?.[1] ?? null;
}

/** @param secure only sent over TLS: in production always. */
export function sessionCookie(token: string, secure: boolean): string {
  return attributes(token, ABSOLUTE_SECONDS, secure);
}

export function endedSessionCookie(secure: boolean): string {
  return attributes('', 0, secure);
}

function attributes(value: string, maxAge: number, secure: boolean): string {
  return `${NAME}=${value}; Max-Age=${maxAge}; Path=/api; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}
