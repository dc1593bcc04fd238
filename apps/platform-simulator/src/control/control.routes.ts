import { Type, type Static } from '@sinclair/typebox';
import { matches, mismatch } from '@mgw/contracts';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from '@sinclair/typebox';
import { envelope, seconds } from '../callbacks/envelope';
import { GraphFailure } from '../graph/graph-error';
import { messageId } from '../graph/message-id';
import type { Parts } from '../simulator';
import type { Rule } from './rules';

const AccountRequest = Type.Object({
  name: Type.String(),
  phone_number_id: Type.String({ pattern: '^\\d+$' }),
  business_account_id: Type.String({ pattern: '^\\d+$' }),
  display_phone_number: Type.String({ pattern: '^\\d+$' }),
  access_token: Type.String({ minLength: 1 }),
  app_secret: Type.String({ minLength: 1 }),
});

const InboundRequest = Type.Object({
  phone_number_id: Type.String(),
  /** Digits, or a business-scoped user id. */
  from: Type.String({ minLength: 1 }),
  name: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  /** The object named by `type`, for other types than text. */
  content: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

const RuleRequest = Type.Object({
  match: Type.Optional(
    Type.Object({ to: Type.Optional(Type.String()), type: Type.Optional(Type.String()), template: Type.Optional(Type.String()) }),
  ),
  times: Type.Optional(Type.Integer({ minimum: 1 })),
  delay_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 120_000 })),
  error: Type.Optional(Type.Object({ code: Type.Integer() }, { additionalProperties: true })),
  answer: Type.Optional(Type.Object({}, { additionalProperties: true })),
  cut_after_accept: Type.Optional(Type.Boolean()),
});

/** @throws GraphFailure naming what is wrong */
function read<S extends TSchema>(schema: S, body: unknown): Static<S> {
  if (matches(schema, body)) return body;
  throw new GraphFailure(100, mismatch(schema, body) ?? 'not as documented');
}

/** What tests and people steer the simulator with (platform §8.4). */
export function controlRoutes(app: FastifyInstance, parts: Parts): void {
  const { accounts, requests, rules } = parts;
  app.post('/__sim/accounts', async ({ body }) => {
    const { templates, ...account } = accounts.add(read(AccountRequest, body));
    return { account: { ...account, access_token: '(hidden)', app_secret: '(hidden)' }, templates: templates.length };
  });
  app.post('/__sim/inbound', async ({ body }) => inbound(parts, read(InboundRequest, body)));
  app.get<{ Querystring: { limit?: string } }>('/__sim/requests', async ({ query }) => ({
    requests: requests.last(Number(query.limit) || 100),
  }));
  app.delete('/__sim/requests', async () => {
    requests.clear();
    return {};
  });
  app.get('/__sim/rules', async () => ({ rules: rules.all() }));
  app.post('/__sim/rules', async ({ body }) => {
    const rule = read(RuleRequest, body);
    const id = rules.add({ ...rule, match: rule.match ?? {}, times: rule.times ?? null } as Omit<Rule, 'id'>);
    if (id === null) throw new GraphFailure(100, 'too many rules: delete some');
    return { id };
  });
  app.delete('/__sim/rules', async () => {
    rules.clear();
    return {};
  });
}

function inbound(parts: Parts, request: Static<typeof InboundRequest>): { message_id: string } {
  const account = parts.accounts.ofNumber(request.phone_number_id);
  if (!account) throw new GraphFailure(100, `no account has the number ${request.phone_number_id}`);
  const { from, name = 'Simulated Person', type = 'text' } = request;
  const now = Date.now();
  const id = messageId(from, parts.random);
  const isPhone = /^\d+$/.test(from);
  const content = type === 'text' ? { text: { body: request.text ?? '' } } : { [type]: request.content ?? {} };
  const message = { ...(isPhone ? { from } : { from_user_id: from }), id, timestamp: seconds(now), type, ...content };
  const contact = { profile: { name }, ...(isPhone ? { wa_id: from } : { user_id: from }) };
  parts.conversations.wrote(account.phone_number_id, from, now);
  void parts.callbacks.post(account, envelope(account, 'messages', { contacts: [contact], messages: [message] }));
  return { message_id: id };
}
