import { createHmac } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Account } from '../accounts/accounts';
import { GraphFailure, missingObject } from '../graph-error';
import { type SimulatorParts } from '../simulator-parts';

export type ById = { Params: { id: string }; Querystring: Record<string, string | undefined> };

/** @throws GraphFailure 401/190 if no account has the token */
export function tokenOf(parts: SimulatorParts, request: FastifyRequest): string {
  const token = /^(?:Bearer|OAuth) (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (!token) throw new GraphFailure(190, 'An access token is required to request this resource', { status: 401 });
  if (!parts.accounts.all().some((account) => account.access_token === token))
    throw new GraphFailure(190, 'Invalid OAuth access token', { status: 401, subcode: 463 });
  return token;
}

/** @throws GraphFailure 401/190 for an unknown token, 100/33 for an object that the token may not read */
export function accountFor(parts: SimulatorParts, request: FastifyRequest<ById>, find: (id: string) => Account | undefined): Account {
  const token = tokenOf(parts, request);
  const account = find(request.params.id);
  if (!account || account.access_token !== token) throw missingObject(request.params.id);
  const proof = request.query['appsecret_proof'];
  if (proof !== undefined && proof !== createHmac('sha256', account.app_secret).update(token).digest('hex'))
    throw new GraphFailure(100, 'Invalid appsecret_proof provided in the API argument');
  return account;
}

/** Finds the account and counts a management call. */
export function businessAccountFor(parts: SimulatorParts, request: FastifyRequest<ById>): Account {
  const account = accountFor(parts, request, (id) => parts.accounts.byBusinessAccount(id));
  parts.limits.countManagementCall(account);
  return account;
}

/**
 * The requested members and the id.
 * @param usual the members without a request
 * @throws GraphFailure 100 for an unknown field
 */
export function pick(node: Record<string, unknown>, kind: string, requested: string | undefined, usual: string[]): Record<string, unknown> {
  const fields = requested ? requested.split(',').map((field) => field.replace(/[.{(].*$/s, '').trim()) : usual;
  const odd = fields.find((field) => !Object.hasOwn(node, field));
  if (odd !== undefined) throw new GraphFailure(100, `Tried accessing nonexisting field (${odd}) on node type (${kind})`);
  return { ...Object.fromEntries(fields.map((field) => [field, node[field]])), id: node['id'] };
}
