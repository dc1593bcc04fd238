import { GatewayError } from '@mgw/contracts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { sessionCookie } from '../sessions/session-cookie';
import { originOf } from './login-origin';
import type { LoginService } from './login.service';
import { OIDC_CALLBACK, OIDC_LIFE_MS, type OidcFailure, type OidcService } from './oidc.service';

const BEGIN = '/api/client/oidc';
const VALUE = /(?:^|;)\s*oidc=([\w.-]{1,3000})\s*(?:;|$)/;
/** The dashboard's page to return to; longer ones do not fit into a cookie. */
const NEXT = /^\/(?!\/)[\w/?&=%.,+~-]{0,500}$/;

/** The sealed cookie of a login with the provider, or null. */
export const oidcSeal = (cookieHeader: string | undefined): string | null => VALUE.exec(cookieHeader ?? '')?.[1] ?? null;

/** @param secure whether the browser sends it over TLS only */
export function oidcCookie(value: string, seconds: number, secure: boolean): string {
  return `oidc=${value}; Max-Age=${seconds}; Path=${BEGIN}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}

/** Browsers open these addresses themselves, so every end is a redirect; the login page explains failures. */
export function oidcRoutes(server: FastifyInstance, oidc: OidcService, logins: LoginService, secure: boolean): void {
  const begun = (sealed: string) => oidcCookie(sealed, OIDC_LIFE_MS / 1_000, secure);
  const ended = oidcCookie('', 0, secure);
  const explain = (reply: FastifyReply, error: unknown) => {
    const problem = error instanceof GatewayError && error.error_code === 'RATE_LIMITED' ? 'limited' : (error as OidcFailure).problem;
    if (problem === undefined) throw error;
    return reply.header('set-cookie', ended).redirect(`/login?problem=${problem}`);
  };

  server.get<{ Querystring: { next?: unknown } }>(BEGIN, async ({ query: { next } }, reply) => {
    try {
      const { url, sealed } = await oidc.begin(typeof next === 'string' && NEXT.test(next) ? next : '/');
      return await reply.header('set-cookie', begun(sealed)).redirect(url);
    } catch (error) {
      return explain(reply, error);
    }
  });

  server.get(OIDC_CALLBACK, async (request, reply) => {
    const { headers, url } = request;
    const search = url.includes('?') ? url.slice(url.indexOf('?')) : '';
    try {
      const login = oidc.begun(search, oidcSeal(headers.cookie));
      const { email, token } = await logins.loginVerified(originOf(request), () => oidc.finish(search, login));
      if (token !== null) return await reply.header('set-cookie', [ended, sessionCookie(token, secure)]).redirect(login.next);
      const choose = `/login?choose=true&next=${encodeURIComponent(login.next)}`;
      return await reply.header('set-cookie', begun(oidc.sealVerified(email))).redirect(choose);
    } catch (error) {
      return explain(reply, error);
    }
  });
}
