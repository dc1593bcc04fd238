import { createHmac } from 'node:crypto';
import { Type, type Static } from '@sinclair/typebox';
import { matches, mismatch } from '@mgw/contracts';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from '@sinclair/typebox';
import { envelope, seconds } from '../callbacks/envelope';
import { GraphFailure } from '../graph/graph-error';
import type { Account } from '../accounts/accounts';
import type { Writing } from '../people/people';
import { PAGE } from './page';
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
  from: Type.Optional(Type.String({ minLength: 1 })),
  bsuid: Type.Optional(Type.String({ minLength: 1 })),
  /** When it was written: `-30h`, `+5m`, or milliseconds since 1970. */
  at: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  /** False: the webhook has no `contacts`. */
  contacts: Type.Optional(Type.Boolean()),
  /** More messages in the same webhook. */
  batch_with: Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }))),
  name: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  /** The object named by `type`, for other types than text. */
  content: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

const AccountChange = Type.Object({
  phone_number_id: Type.String(),
  action: Type.Union([Type.Literal('ban'), Type.Literal('restrict'), Type.Literal('reinstate'), Type.Literal('disconnect')]),
});
const StatusRequest = Type.Object(
  { phone_number_id: Type.String(), id: Type.String(), status: Type.String() },
  { additionalProperties: true },
);
const RawRequest = Type.Object({
  body: Type.String(),
  signature: Type.Optional(Type.Union([Type.Literal('valid'), Type.Literal('wrong'), Type.Literal('none')])),
  phone_number_id: Type.Optional(Type.String()),
});
const ClockRequest = Type.Object({ offset_seconds: Type.Number() });
const HandshakeRequest = Type.Object({ verify_token: Type.String() });

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
  app.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').send(PAGE));
  app.get('/__sim/accounts', async () => ({
    accounts: accounts
      .all()
      .map(({ access_token: _token, app_secret: _secret, templates, ...account }) => ({ ...account, templates: templates.length })),
  }));
  app.get<{ Querystring: { phone_number_id?: string; person?: string } }>('/__sim/phone', async ({ query }) => ({
    messages: parts.phones.of(query.phone_number_id ?? '', query.person ?? ''),
    people: parts.phones.people(query.phone_number_id ?? ''),
  }));
  app.post('/__sim/account', async ({ body }) => changeAccount(parts, read(AccountChange, body)));
  app.post<{ Params: { id: string; action: string } }>('/__sim/templates/:id/:action', async ({ params }) =>
    changeTemplate(parts, params.id, params.action),
  );
  app.get<{ Querystring: { phone_number_id?: string } }>('/__sim/templates', async ({ query }) => ({
    templates: accountOf(parts, query.phone_number_id ?? '').templates,
  }));
  app.post('/__sim/status', async ({ body }) => {
    const { phone_number_id, ...status } = read(StatusRequest, body);
    const account = accountOf(parts, phone_number_id);
    await parts.callbacks.post(
      account,
      envelope(account, 'messages', { statuses: [{ timestamp: seconds(parts.people.now()), ...status }] }),
    );
    return {};
  });
  app.post('/__sim/webhook/raw', async ({ body }) => {
    const { body: text, signature, phone_number_id } = read(RawRequest, body);
    const bytes = Buffer.from(text);
    const account = phone_number_id === undefined ? accounts.all()[0] : accountOf(parts, phone_number_id);
    const valid = `sha256=${createHmac('sha256', account?.app_secret ?? '')
      .update(bytes)
      .digest('hex')}`;
    await parts.callbacks.postRaw(
      bytes,
      { valid, wrong: valid.replace(/.$/, (last) => (last === '0' ? '1' : '0')), none: null }[signature ?? 'valid'],
    );
    return {};
  });
  for (const [action, paused] of [
    ['pause', true],
    ['resume', false],
  ] as const) {
    app.post(`/__sim/webhooks/${action}`, async () => {
      parts.callbacks.pause(paused);
      return { paused };
    });
  }
  app.get('/__sim/deliveries', async () => ({ deliveries: parts.callbacks.attempts() }));
  app.post('/__sim/clock', async ({ body }) => {
    parts.people.clockOffsetMs = read(ClockRequest, body).offset_seconds * 1_000;
    return { now: new Date(parts.people.now()).toISOString() };
  });
  app.post('/__sim/handshake', async ({ body }) => handshake(parts.callbackUrl, read(HandshakeRequest, body).verify_token));
  app.post('/__sim/reset', async () => {
    requests.clear();
    rules.clear();
    parts.phones.clear();
    parts.conversations.clear();
    parts.people.clockOffsetMs = 0;
    parts.callbacks.pause(false);
    return {};
  });
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

/** `-30h`, `-90s`, `+5m`, or milliseconds since 1970. */
function timeOf(at: string | number | undefined, now: number): number {
  if (at === undefined) return now;
  if (typeof at === 'number') return at;
  const [, sign, amount, unit] = /^([+-])(\d+)([smhd])$/.exec(at) ?? [];
  if (!amount) throw new GraphFailure(100, 'at must be like -30h, +5m, or milliseconds since 1970');
  const ms = Number(amount) * { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 's' | 'm' | 'h' | 'd'];
  return now + (sign === '-' ? -ms : ms);
}

function writingOf(parts: Parts, account: Account, request: Static<typeof InboundRequest>): Writing {
  const { name = 'Simulated Person', type = 'text' } = request;
  const from = request.from ?? request.bsuid ?? '';
  if (from === '') throw new GraphFailure(100, 'from or bsuid is needed');
  const content = type === 'text' ? { body: request.text ?? '' } : (request.content ?? {});
  return { account, from, name, type, content, at: timeOf(request.at, parts.people.now()), contacts: request.contacts ?? true };
}

async function inbound(
  parts: Parts,
  request: Static<typeof InboundRequest>,
): Promise<{ message_id: string | undefined; message_ids: string[] }> {
  const account = accountOf(parts, request.phone_number_id);
  const writings = [
    request,
    ...(request.batch_with ?? []).map((more) => read(InboundRequest, { phone_number_id: request.phone_number_id, ...more })),
  ].map((one) => writingOf(parts, account, one)) as [Writing, ...Writing[]];
  for (const { from, type, content } of writings) {
    const { body, text } = content as { body?: string; text?: string };
    const bubble = {
      id: '',
      direction: 'out' as const,
      type,
      text: body ?? text ?? `[${type}]`,
      buttons: [],
      at: new Date().toISOString(),
      status: '',
    };
    parts.phones.add(account.phone_number_id, from, bubble);
  }
  const message_ids = await parts.people.writes(...writings);
  return { message_id: message_ids[0], message_ids };
}

function accountOf(parts: Parts, phoneNumberId: string): Account {
  const account = parts.accounts.ofNumber(phoneNumberId);
  if (!account) throw new GraphFailure(100, `no account has the number ${phoneNumberId}`);
  return account;
}

/** Bans, restrictions and their ends, as the platform tells them (platform §4.6). */
async function changeAccount(parts: Parts, { phone_number_id, action }: Static<typeof AccountChange>): Promise<object> {
  const account = accountOf(parts, phone_number_id);
  const inAWeek = Math.floor(parts.people.now() / 1_000) + 7 * 86_400;
  const change = {
    ban: { status: 'BANNED', value: { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } } },
    restrict: {
      status: account.status,
      value: {
        event: 'ACCOUNT_RESTRICTION',
        restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: inAWeek }],
      },
    },
    reinstate: { status: 'CONNECTED', value: { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } } },
    disconnect: { status: 'DISCONNECTED', value: { event: 'ACCOUNT_OFFBOARDED' } },
  }[action];
  account.status = change.status;
  await parts.callbacks.post(account, envelope(account, 'account_update', change.value));
  return { status: account.status };
}

const TEMPLATE_EVENTS: Record<string, string> = { approve: 'APPROVED', reject: 'REJECTED', pause: 'PAUSED', disable: 'DISABLED' };

async function changeTemplate(parts: Parts, id: string, action: string): Promise<object> {
  const status = TEMPLATE_EVENTS[action];
  const account = parts.accounts.all().find(({ templates }) => templates.some((template) => template.id === id));
  const template = account?.templates.find((one) => one.id === id);
  if (!status || !account || !template) throw new GraphFailure(100, 'no such template or action');
  template.status = status;
  await parts.callbacks.post(
    account,
    envelope(account, 'message_template_status_update', {
      event: status,
      message_template_id: Number(id),
      message_template_name: template.name,
      message_template_language: template.language,
      message_template_category: template.category,
      reason: 'NONE',
    }),
  );
  return { status };
}

/** The platform's side of the handshake (platform §4.1). */
async function handshake(callbackUrl: string, verifyToken: string): Promise<object> {
  const url = new URL(callbackUrl);
  const challenge = String(Math.floor(Math.random() * 1e9));
  for (const [name, value] of Object.entries({ mode: 'subscribe', challenge, verify_token: verifyToken }))
    url.searchParams.set(`hub.${name}`, value);
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  return { status: response.status, verified: response.status === 200 && text === challenge };
}
