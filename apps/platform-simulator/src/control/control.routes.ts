import { timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AccountFields } from '../accounts/accounts';
import { GraphFailure, missingObject } from '../graph-error';
import { SettingsChange } from '../profile/profile';
import { accountOfNumber, readPerson, readRequest } from './control-requests';
import { inbound, InboundRequest } from './inbound';
import { LoadRequest } from '../people/load';
import { personName } from '../people/person-name';
import { AccountChange, changeAccount, changeTemplate, handshake, postRaw, postStatus, RawRequest, StatusRequest } from './platform-events';
import { RuleRequest } from '../faults/rules';
import { resetSimulator, restoreSnapshot, Snapshot, takeSnapshot } from './snapshot';
import { type SimulatorParts } from '../simulator-parts';

const ClockRequest = Type.Object(
  { offset_seconds: Type.Optional(Type.Number({ minimum: -1e10, maximum: 1e10 })), stopped: Type.Optional(Type.Boolean()) },
  { additionalProperties: false },
);
const HandshakeRequest = Type.Object({ verify_token: Type.Optional(Type.String()) });
const ReplayRequest = Type.Object(
  {
    ids: Type.Optional(Type.Array(Type.Integer(), { maxItems: 1_000 })),
    last: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    undelivered: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, minProperties: 1 },
);
/** A customer's phone and its controls. It loads nothing from elsewhere. */
const PAGE = readFileSync(join(__dirname, 'page.html'), 'utf8');
const SNAPSHOT_LIMIT = 1024 * 1024 * 1024;

/** The control plane, for tests and people (platform §8.4). */
export function controlRoutes(app: FastifyInstance, parts: SimulatorParts): void {
  app.addHook('onRequest', async (request) => {
    if (request.url.startsWith('/__sim')) checkToken(parts.controlToken, request);
  });
  app.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').send(PAGE));
  platformRoutes(app, parts);
  webhookRoutes(app, parts);
  ruleRoutes(app, parts);
  stateRoutes(app, parts);
}

function checkToken(token: string, request: FastifyRequest): void {
  if (token === '') return;
  const sentToken = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? (request.query as { token?: string }).token ?? '';
  const [expected, received] = [Buffer.from(token), Buffer.from(sentToken)];
  if (expected.length !== received.length || !timingSafeEqual(expected, received))
    throw new GraphFailure(190, 'the control plane requires its token as Authorization: Bearer or ?token=', { status: 401 });
}

/** Accounts, templates, customers and their phones. */
function platformRoutes(app: FastifyInstance, parts: SimulatorParts): void {
  const { accounts } = parts;
  app.get('/__sim/accounts', async () => ({
    keeps_state: parts.keepsState,
    accounts: accounts
      .all()
      .map(({ access_token: _token, app_secret: _secret, templates, ...account }) => ({ ...account, templates: templates.length })),
  }));
  app.post('/__sim/accounts', async ({ body }) => {
    const { templates, ...account } = accounts.add(readRequest(AccountFields, body));
    return { account: { ...account, access_token: '(hidden)', app_secret: '(hidden)' }, templates: templates.length };
  });
  app.post('/__sim/account', async ({ body }) => changeAccount(parts, readRequest(AccountChange, body)));
  app.get<{ Querystring: { phone_number_id?: string } }>('/__sim/templates', async ({ query }) => ({
    templates: accountOfNumber(parts, query.phone_number_id ?? '').templates,
  }));
  app.post<{ Params: { id: string; action: string } }>('/__sim/templates/:id/:action', async ({ params }) =>
    changeTemplate(parts, params.id, params.action),
  );
  app.post('/__sim/inbound', { bodyLimit: 32 * 1024 * 1024 }, async ({ body }) => inbound(parts, readRequest(InboundRequest, body)));
  app.get('/__sim/conversations', async () => ({
    conversations: parts.conversations.state().map(({ last_wrote_at, clicked_at: _, free_until: __, ...conversation }) => ({
      ...conversation,
      last_wrote_at: new Date(last_wrote_at).toISOString(),
      open: parts.conversations.isOpen(conversation.phone_number_id, conversation.person),
    })),
  }));
  app.get<{ Querystring: { phone_number_id?: string; person?: string } }>('/__sim/phone', async ({ query }) => ({
    messages: parts.phones.thread(query.phone_number_id ?? '', parts.identities.personOf(personName(query.person ?? '') ?? '')),
    people: parts.phones.people(query.phone_number_id ?? ''),
  }));
  app.get('/__sim/otps', async () => ({ otps: parts.codes.all() }));
  app.get<{ Params: { id: string } }>('/__sim/media/:id', async ({ params }, reply) => {
    const file = parts.media.get(params.id);
    if (!file) throw missingObject(params.id);
    // The page has the same origin, so an uploaded file must never run.
    void reply.header('content-security-policy', 'sandbox').header('x-content-type-options', 'nosniff');
    return reply.type(file.mime_type).send(file.bytes);
  });
}

function webhookRoutes(app: FastifyInstance, parts: SimulatorParts): void {
  const { callbacks, load } = parts;
  app.post('/__sim/status', async ({ body }) => {
    await postStatus(parts, readRequest(StatusRequest, body));
    return {};
  });
  app.post('/__sim/webhook/raw', { bodyLimit: 8 * 1024 * 1024 }, async ({ body }) => {
    await postRaw(parts, readRequest(RawRequest, body));
    return {};
  });
  for (const [action, paused] of [
    ['pause', true],
    ['resume', false],
  ] as const) {
    app.post(`/__sim/webhooks/${action}`, async () => {
      callbacks.pause(paused);
      return { paused };
    });
  }
  app.post('/__sim/webhooks/replay', async ({ body }) => ({ replayed: callbacks.replay(readRequest(ReplayRequest, body)) }));
  app.get('/__sim/deliveries', async () => ({ deliveries: callbacks.log.readable() }));
  app.post('/__sim/handshake', async ({ body }) =>
    handshake(parts, readRequest(HandshakeRequest, body ?? {}).verify_token ?? parts.verifyToken),
  );
  app.get('/__sim/load', async () => load.progress());
  app.post('/__sim/load', async ({ body }) => {
    load.start(readRequest(LoadRequest, body));
    return load.progress();
  });
  app.delete('/__sim/load', async () => {
    load.stop();
    return load.progress();
  });
}

function ruleRoutes(app: FastifyInstance, { rules, requests }: SimulatorParts): void {
  app.get('/__sim/rules', async () => ({ rules: rules.all() }));
  app.post('/__sim/rules', async ({ body }) => {
    const { match, ...rule } = readRequest(RuleRequest, body);
    const id = rules.add({ ...rule, match: { ...match, ...(match?.to !== undefined && { to: readPerson('match.to', match.to) }) } });
    if (id === null) throw new GraphFailure(100, 'too many rules; delete some');
    return { id };
  });
  app.delete('/__sim/rules', async () => {
    rules.clear();
    return {};
  });
  app.get<{ Querystring: { limit?: string } }>('/__sim/requests', async ({ query }) => ({
    requests: requests.last(Number(query.limit) || 100),
  }));
  app.delete('/__sim/requests', async () => {
    requests.clear();
    return {};
  });
}

/** Profile, clock, snapshot and reset. */
function stateRoutes(app: FastifyInstance, parts: SimulatorParts): void {
  const { profile, clock } = parts;
  app.get('/__sim/profile', async () => profile.settings);
  app.patch('/__sim/profile', async ({ body }) => profile.change(readRequest(SettingsChange, body)));
  app.post('/__sim/clock', async ({ body }) => {
    const { offset_seconds = 0, stopped = false } = readRequest(ClockRequest, body);
    clock.set(offset_seconds * 1_000, stopped);
    return { now: new Date(clock.now()).toISOString(), stopped };
  });
  app.get('/__sim/snapshot', async () => takeSnapshot(parts));
  app.post('/__sim/snapshot', { bodyLimit: SNAPSHOT_LIMIT }, async ({ body }) => {
    restoreSnapshot(parts, readRequest(Snapshot, body));
    return {};
  });
  app.post('/__sim/reset', async () => {
    resetSimulator(parts);
    return {};
  });
}
