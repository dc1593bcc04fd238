import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../accounts/accounts';
import { behaviourOf, type Behaviour } from '../people/test-numbers';
import { shown } from '../control/phone';
import type { Fault } from '../control/rules';
import { userIdOf } from '../people/replies';
import type { Parts } from '../simulator';
import { GraphFailure, badParameter, missingObject } from './graph-error';
import { checkMessage, type MessageBody } from './message-check';
import { messageId } from './message-id';

type ById = { Params: { id: string; edge?: string }; Querystring: Record<string, string> };
const FREE_FORM = (type: unknown) => type !== 'template';

/** The part of the Graph API that an integration calls; any `/vN.N` prefix, or none. */
export function graphRoutes(app: FastifyInstance, parts: Parts): void {
  app.addHook('preSerialization', async (request, reply, payload) => {
    if (isGraph(request)) parts.requests.add(request, reply.statusCode, payload);
    return payload;
  });
  for (const prefix of ['', '/:version(^v\\d+\\.\\d+$)']) {
    app.post<ById>(`${prefix}/:id/messages`, (request, reply) => postMessage(parts, request, reply));
    app.get<ById>(`${prefix}/:id/message_templates`, (request) => listTemplates(parts, request));
    app.post<ById>(`${prefix}/:id/message_templates`, (request) => createTemplate(parts, request));
    app.delete<ById>(`${prefix}/:id/message_templates`, (request) => deleteTemplates(parts, request));
    app.get<ById>(`${prefix}/:id/phone_numbers`, (request) => listNumbers(parts, request));
    for (const method of ['GET', 'POST', 'DELETE'] as const)
      app.route<ById>({ method, url: `${prefix}/:id/subscribed_apps`, handler: (request) => subscribedApps(parts, request) });
    app.get(`${prefix}/debug_token`, (request) => debugToken(parts, request));
    app.get<ById>(`${prefix}/:id`, (request) => getNode(parts, request));
  }
}

function isGraph(request: FastifyRequest): boolean {
  return !request.url.startsWith('/__');
}

/** @throws GraphFailure 401/190 for a token that nobody has, 100/33 for an object that the token does not reach */
function accountFor(parts: Parts, request: FastifyRequest<ById>, find: (id: string) => Account | undefined): Account {
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (!token || !parts.accounts.all().some((account) => account.access_token === token)) {
    throw new GraphFailure(190, 'Invalid OAuth access token', { status: 401, subcode: 463 });
  }
  const account = find(request.params.id);
  if (!account || account.access_token !== token) throw missingObject(request.params.id);
  return account;
}

async function postMessage(parts: Parts, request: FastifyRequest<ById>, reply: FastifyReply): Promise<unknown> {
  const account = accountFor(parts, request, (id) => parts.accounts.ofNumber(id));
  const message = (request.body ?? {}) as MessageBody;
  if (message['status'] === 'read') return { success: true };
  const recipient = String(message.to ?? message.recipient ?? '').replace(/^\+/, '');
  if (recipient === '') throw badParameter('The parameter to is required.');
  const asked = { to: recipient, type: String(message.type), template: message.template?.name as string | undefined };
  const fault = parts.rules.take(asked) ?? parts.refused.take(recipient);
  if (fault?.delay_ms) await new Promise((resolve) => setTimeout(resolve, fault.delay_ms));
  if (fault?.refuse_connections_ms) parts.goAway(fault.refuse_connections_ms);
  if (fault?.error) throw new GraphFailure(fault.error.code, fault.error.message ?? 'by rule', fault.error);
  if (fault?.answer) return answerAsRuled(fault.answer, reply);
  checkMessage(account, message, recipient);
  if (FREE_FORM(message.type) && !parts.conversations.isOpen(account.phone_number_id, recipient)) {
    throw new GraphFailure(131047, 'Re-engagement message', { details: 'More than 24 hours have passed since the customer last replied' });
  }
  return accept(parts, { account, message, recipient, behaviour: behaviourOf(recipient), fault, request, reply });
}

interface Accepting {
  account: Account;
  message: MessageBody;
  recipient: string;
  behaviour: Behaviour;
  fault: Fault | undefined;
  request: FastifyRequest;
  reply: FastifyReply;
}

async function accept(parts: Parts, { account, message, recipient, behaviour, fault, request, reply }: Accepting): Promise<unknown> {
  const id = messageId(recipient, parts.random);
  const isPhone = /^\d+$/.test(recipient);
  const waId = behaviour.otherWaId ? `${recipient}9` : recipient;
  const { text, buttons } = shown(account, message);
  const bubble = {
    id,
    direction: 'in' as const,
    type: String(message.type),
    text,
    buttons,
    at: new Date().toISOString(),
    status: 'accepted',
  };
  parts.phones.add(account.phone_number_id, recipient, bubble);
  const callbackData = message.biz_opaque_callback_data;
  await parts.engine.follow({ account, messageId: id, recipient, waId, isPhone, callbackData, behaviour, button: buttons[0] ?? null });
  const body = {
    messaging_product: 'whatsapp',
    contacts: [
      {
        input: String(message.to ?? message.recipient),
        ...(isPhone ? { wa_id: waId } : { user_id: recipient }),
        ...(behaviour.reaction === 'username' && { user_id: userIdOf(recipient) }),
      },
    ],
    messages: [{ id, message_status: behaviour.held ? 'held_for_quality_assessment' : 'accepted' }],
  };
  if (fault?.cut_after_accept) {
    parts.requests.add(request, 0, body);
    request.raw.socket.destroy();
    return reply.hijack();
  }
  return body;
}

function answerAsRuled({ status, body, cut }: NonNullable<Fault['answer']>, reply: FastifyReply): unknown {
  if (cut) {
    reply.raw.socket?.destroy();
    return reply.hijack();
  }
  void reply.status(status ?? 200);
  return typeof body === 'string' ? reply.type('text/html').send(body) : (body ?? {});
}

async function listTemplates(parts: Parts, request: FastifyRequest<ById>): Promise<unknown> {
  const { templates } = accountFor(parts, request, (id) => parts.accounts.ofBusinessAccount(id));
  const { name, status, language, category, after } = request.query;
  const limit = Math.min(Number(request.query['limit']) || 25, 100);
  const wanted = templates.filter(
    (template) =>
      (!name || template.name === name) &&
      (!status || template.status === status) &&
      (!language || template.language === language) &&
      (!category || template.category === category),
  );
  const start = after ? Number(Buffer.from(after, 'base64url').toString()) || 0 : 0;
  const end = Math.min(start + limit, wanted.length);
  const cursor = (at: number) => Buffer.from(String(at)).toString('base64url');
  const paging = {
    cursors: { before: cursor(start), after: cursor(end) },
    ...(end < wanted.length && { next: `${request.url}&after=${cursor(end)}` }),
  };
  return { data: wanted.slice(start, end), paging };
}

async function getNode(parts: Parts, request: FastifyRequest<ById>): Promise<unknown> {
  const account = accountFor(parts, request, (id) => parts.accounts.ofNumber(id) ?? parts.accounts.ofBusinessAccount(id));
  if (account.business_account_id === request.params.id) return { id: account.business_account_id, name: account.name };
  const fields = (request.query['fields'] ?? 'display_phone_number,verified_name').split(',');
  const connected = account.status === 'CONNECTED';
  const node: Record<string, unknown> = {
    display_phone_number: account.display_phone_number,
    verified_name: account.name,
    status: account.status,
    quality_rating: 'GREEN',
    name_status: 'APPROVED',
    code_verification_status: 'VERIFIED',
    platform_type: 'CLOUD_API',
    throughput: { level: 'STANDARD' },
    whatsapp_business_manager_messaging_limit: 'TIER_1K',
    health_status: { can_send_message: connected ? 'AVAILABLE' : 'BLOCKED', entities: [] },
  };
  return {
    ...Object.fromEntries(fields.filter((field) => field in node).map((field) => [field, node[field]])),
    id: account.phone_number_id,
  };
}

interface TemplateDraft {
  name?: unknown;
  language?: unknown;
  category?: unknown;
  parameter_format?: unknown;
  components?: unknown;
}

/** Names that end so start in that state (platform §8.3). */
const STARTS: [RegExp, string][] = [
  [/_paused$/, 'PAUSED'],
  [/_disabled$/, 'DISABLED'],
  [/_rejected$/, 'REJECTED'],
];

async function createTemplate(parts: Parts, request: FastifyRequest<ById>): Promise<unknown> {
  const account = accountFor(parts, request, (id) => parts.accounts.ofBusinessAccount(id));
  const { name, language, category, parameter_format, components } = (request.body ?? {}) as TemplateDraft;
  if (typeof name !== 'string' || !/^[a-z0-9_]{1,512}$/.test(name)) throw badParameter('name must hold a-z, 0-9 and _');
  if (typeof language !== 'string') throw badParameter('The parameter language is required.');
  if (!['AUTHENTICATION', 'MARKETING', 'UTILITY'].includes(String(category))) throw badParameter('category is unknown');
  if (!Array.isArray(components)) throw badParameter('The parameter components is required.');
  if (account.templates.some((one) => one.name === name && one.language === language))
    throw new GraphFailure(100, 'Invalid parameter', { subcode: 2388024, details: 'Content in this language already exists' });
  const template = {
    id: `92${String(account.templates.length + 1).padStart(16, '0')}`,
    name,
    language,
    category: String(category),
    status: STARTS.find(([ending]) => ending.test(name))?.[1] ?? 'PENDING',
    parameter_format: parameter_format === 'NAMED' ? ('NAMED' as const) : ('POSITIONAL' as const),
    components: components as Account['templates'][number]['components'],
  };
  account.templates.push(template);
  return { id: template.id, status: template.status, category: template.category };
}

async function deleteTemplates(parts: Parts, request: FastifyRequest<ById>): Promise<unknown> {
  const account = accountFor(parts, request, (id) => parts.accounts.ofBusinessAccount(id));
  const { name, hsm_id: id } = request.query;
  const left = account.templates.filter((template) => !(template.name === name && (id === undefined || template.id === id)));
  if (left.length === account.templates.length) throw missingObject(name ?? '');
  account.templates = left;
  return { success: true };
}

async function listNumbers(parts: Parts, request: FastifyRequest<ById>): Promise<unknown> {
  const account = accountFor(parts, request, (id) => parts.accounts.ofBusinessAccount(id));
  const { phone_number_id: id, display_phone_number, name: verified_name } = account;
  return { data: [{ id, display_phone_number, verified_name, quality_rating: 'GREEN' }], paging: { cursors: { before: 'a', after: 'a' } } };
}

async function subscribedApps(parts: Parts, request: FastifyRequest<ById>): Promise<unknown> {
  accountFor(parts, request, (id) => parts.accounts.ofBusinessAccount(id));
  return request.method === 'GET'
    ? { data: [{ whatsapp_business_api_data: { id: '500400300200101', name: 'Simulated app', link: 'https://example.com' } }] }
    : { success: true };
}

async function debugToken(parts: Parts, request: FastifyRequest): Promise<unknown> {
  const { input_token } = request.query as Record<string, string>;
  const known = parts.accounts.all().some(({ access_token }) => access_token === input_token);
  return {
    data: { app_id: '500400300200101', type: 'SYSTEM_USER', is_valid: known, scopes: known ? ['whatsapp_business_messaging'] : [] },
  };
}
