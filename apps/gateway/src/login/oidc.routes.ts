import { GatewayError } from '@mgw/contracts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { sessionCookie, sessionToken } from '../sessions/session-cookie';
import type { LoginService } from './login.service';
import { OIDC_CALLBACK, OIDC_LIFE_MS, OidcFailure, type OidcService } from './oidc.service';

const BEGIN = '/api/client/oidc';
const REQUEST = /(?:^|;)\s*oidc=([\w.-]{1,3000})\s*(?:;|$)/;
/** The dashboard's page to return to; longer ones do not fit into a cookie. */
const NEXT = /^\/(?!\/)[\w/?&=%.,+~-]{0,500}$/;

/** Browsers open these addresses themselves, so every end is a redirect; the login page explains failures. */
export function oidcRoutes(server: FastifyInstance, oidc: OidcService, logins: LoginService, secure: boolean): void {
  const cookie = (value: string, seconds: number) =>
    `oidc=${value}; Max-Age=${seconds}; Path=${BEGIN}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  const explain = (reply: FastifyReply, fault: unknown) => {
    const problem = fault instanceof GatewayError && fault.error_code === 'RATE_LIMITED' ? 'limited' : (fault as OidcFailure).problem;
    if (problem === undefined) throw fault;
    return reply.header('set-cookie', cookie('', 0)).redirect(`/login?problem=${problem}`);
  };

  server.get<{ Querystring: { next?: unknown } }>(BEGIN, async ({ query: { next } }, reply) => {
    try {
      const { url, sealed } = await oidc.begin(typeof next === 'string' && NEXT.test(next) ? next : '/');
      return await reply.header('set-cookie', cookie(sealed, OIDC_LIFE_MS / 1_000)).redirect(url);
    } catch (fault) {
      return explain(reply, fault);
    }
  });

  server.get(OIDC_CALLBACK, async (request, reply) => {
    const { headers, ip, url } = request;
    const sealed = REQUEST.exec(headers.cookie ?? '')?.[1] ?? null;
    const search = url.includes('?') ? url.slice(url.indexOf('?')) : '';
    try {
      const from = { ip, userAgent: headers['user-agent'] ?? null, currentToken: sessionToken(headers.cookie) };
      const begun = oidc.begun(search, sealed);
      const token = await logins.loginVerified(from, () => oidc.finish(search, begun));
      if (token === null) throw new OidcFailure('unknown');
      return await reply.header('set-cookie', [cookie('', 0), sessionCookie(token, secure)]).redirect(begun.next);
    } catch (fault) {
      return explain(reply, fault);
    }
  });
}
