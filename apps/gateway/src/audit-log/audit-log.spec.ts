import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { get, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'csv-parse/sync';
import request, { type Test } from 'supertest';
import {
  CancelBroadcast,
  CancelRecovery,
  ChangeTemplate,
  CreateBroadcast,
  CreateTemplate,
  DeleteTemplate,
  CreateWebhook,
  DeleteWebhook,
  GatewayError,
  GetThread,
  ImportSuppressions,
  LiftSuppression,
  PauseBroadcast,
  PrepareErasure,
  RecordUpload,
  RecoverDeliveries,
  Redeliver,
  ResumeBroadcast,
  AddNote,
  CreateLabel,
  CreateQuickReply,
  DeleteLabel,
  DeleteQuickReply,
  SendMedia,
  SendReaction,
  SendTemplate,
  UpdateConversation,
  UpdateLabel,
  UpdateQuickReply,
  SendText,
  SetAutoReply,
  SetConnection,
  SetRateCard,
  SubscribeToAccount,
  SetSendSettings,
  SetSuppression,
  RetryBroadcast,
  SyncTemplates,
  TestWebhook,
  TryAutoReply,
  UpdateWebhook,
} from '@mgw/contracts';
import { sampleConversation } from '@mgw/harness';
import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { PASSWORD, startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';
import { DISCARD, REPLAY } from '../../test/neighbours.fixture';
import { beginTwoSteps, codeOf, setUpTwoSteps } from '../../test/two-steps.fixture';
import type { AuditRecord } from './audit-log.responses';

const AUDIT = '/api/client/audit';
const OPERATOR_AUDIT = '/api/admin/audit';
const AT = '2026-01-02T03:04:05.678Z';
/** In every request field that holds a secret or a customer's words. */
const CANARY = 'canary-5e1f';
const PHONE = '12015550100';
/** The first changes nothing; the second adds its entries after its response (account.spec.ts). */
const WITHOUT_ENTRY = ['post /api/client/broadcasts/check', 'post /api/client/password/forgotten'];

interface Log {
  entries: AuditRecord[];
  next_cursor: string | null;
}

describe('the audit log', () => {
  let dashboard: Dashboard;
  let platform: Receiver;
  let operator: Session;
  let business: number;
  let owner: Session;

  beforeAll(async () => {
    platform = await startReceiver();
    platform.respond(({ path }, response) => {
      const id = path.includes('/uploads') ? 'upload:11' : '11';
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ id, data: { is_valid: true, app_id: '5' }, h: '4::11' }));
    });
    dashboard = await startDashboard({ graphBaseUrl: platform.url });
    // Requests that are made before others end share one port.
    dashboard.visitor.server.listen(0, '127.0.0.1');
    operator = await dashboard.session('operator', null);
    respond();
  });
  afterAll(async () => {
    await dashboard.close();
    await platform.close();
  });
  beforeEach(async () => {
    business = await dashboard.business();
    owner = await dashboard.session('owner', business);
  });

  const read = async (session: Session, path: string) => (await session.get(path).expect(200)).body as Log;
  const actions = ({ entries }: Log) => entries.map(({ action }) => action);

  /** Responses of the services to every write. */
  function respond(): void {
    const { neighbours } = dashboard;
    for (const operation of [
      UpdateWebhook,
      DeleteWebhook,
      Redeliver,
      SetSuppression,
      LiftSuppression,
      SetSendSettings,
      SetAutoReply,
    ] as const)
      neighbours.respond(operation, () => ({}));
    for (const operation of [CancelBroadcast, PauseBroadcast, ResumeBroadcast] as const) neighbours.respond(operation, () => ({}));
    for (const operation of [REPLAY, DISCARD]) neighbours.respond(operation, () => ({ found: true }));
    neighbours.respond(ImportSuppressions, () => ({ added: 1, unchanged: 0 }));
    neighbours.respond(CreateWebhook, () => ({ id: 7 }));
    neighbours.respond(SetRateCard, () => ({ faults: [], added: 1, removed: 0 }));
    neighbours.respond(PrepareErasure, () => ({ names: [PHONE], conversation_ids: [], hash_key: 'k'.repeat(32) }));
    for (const operation of [AddNote, CreateLabel, CreateQuickReply]) neighbours.respond(operation, () => ({ id: 10 }));
    for (const operation of [UpdateLabel, DeleteLabel, UpdateQuickReply, DeleteQuickReply]) neighbours.respond(operation, () => ({}));
    neighbours.respond(UpdateConversation, () => ({ conversation: sampleConversation() }));
    neighbours.respond(TestWebhook, () => ({ delivery_id: 8 }));
    neighbours.respond(RecoverDeliveries, () => ({ queued: 1, next_since: null }));
    neighbours.respond(CancelRecovery, () => ({ cancelled: 1 }));
    for (const change of [CreateTemplate, ChangeTemplate, DeleteTemplate]) neighbours.respond(change, () => ({}));
    neighbours.respond(CreateBroadcast, () => ({ id: 9 }));
    neighbours.respond(RetryBroadcast, () => ({ id: 10, replayed: false }));
    neighbours.respond(SyncTemplates, () => ({ state: 'running' as const, started_at: AT }));
    neighbours.respond(TryAutoReply, () => ({ reply: CANARY }));
    for (const operation of [SendText, SendMedia, SendReaction, SendTemplate])
      neighbours.respond(operation, () => ({ message_id: 'wamid.A', phone: PHONE, replayed: false }));
    neighbours.respond(GetThread, ({ conversation_id }) => ({
      conversation: sampleConversation({ id: conversation_id, customer_phone: PHONE, customer_name: CANARY }),
      messages: [],
      next_cursor: null,
    }));
    dashboard.connect();
    neighbours.respond(RecordUpload, () => ({ expires_at: AT }));
    neighbours.respond(SubscribeToAccount, () => ({}));
    neighbours.respond(SetConnection, (asked) => ({
      connection: {
        business_id: asked.business_id,
        phone_number_id: asked.phone_number_id,
        business_account_id: asked.business_account_id,
        access_token_sealed: CANARY,
        app_secret_sealed: CANARY,
        previous_app_secret_sealed: null,
        verify_token_sealed: CANARY,
        status: 'unchecked' as const,
        checked_at: null,
        problem: null,
        restriction: null,
      },
    }));
  }

  /** One request for each write of the dashboard and operator APIs, with the action and the target of its entry. */
  async function writes(): Promise<Record<string, [Test, string, string | null]>> {
    const member = () => dashboard.session('agent', business);
    const agent = await member();
    const leaving = await member();
    const changing = await dashboard.session('owner', business);
    const invited = await owner.post('/api/client/team', { email: `${CANARY}@x.example`, name: 'Ravi', role: 'agent' }).expect(200);
    const { id: invitedId, invite_url } = invited.body as { id: number; invite_url: string };
    const { id: rotatedId } = (await owner.post('/api/client/api-keys', { name: 'Old', permissions: ['*'] })).body as { id: number };
    const { id: keyId } = (await owner.post('/api/client/api-keys', { name: 'CRM', permissions: ['*'] })).body as { id: number };
    const sessions = (await changing.get('/api/client/me/sessions')).body as { sessions: { id: number }[] };
    const secret = `${CANARY}-secret`;
    const hook = { name: 'CRM', url: `https://crm.example/${CANARY}`, events: ['message.sent'], secret };
    const person = (email: string) => ({ email, name: 'Ben', role: 'agent' });
    const [starting, confirming, ending, lost] = [await member(), await member(), await member(), await member()];
    const totpSecret = await beginTwoSteps(confirming);
    for (const session of [ending, lost, changing]) await setUpTwoSteps(session);
    const ids = { phone_number_id: '1', business_account_id: '2' };
    const secrets = { access_token: secret, app_secret: secret, verify_token: secret };
    const nextId = async (table: string) => {
      const [row] = await dashboard.db.query<{ id: number }>(`SELECT last_value::integer + 1 AS id FROM access.${table}_id_seq`);
      return row?.id ?? 0;
    };
    const newKey = await nextId('api_keys');
    const newUser = await nextId('users');
    const newBusiness = await nextId('businesses');
    const c = '/api/client';
    const a = '/api/admin';
    const template = { name: 'offer', language: 'en', category: 'UTILITY', body: 'Hi' };
    const broadcast = { name: 'Autumn', template_name: 'hello', recipients: [{ phone: PHONE, body_params: [CANARY] }] };
    const seal = dashboard.sealer.seal(JSON.stringify({ email: agent.email, until: Date.now() + 60_000 }), 'oidc.verified');
    return {
      'post /api/client/login': [
        dashboard.visitor.post(`${c}/login`, { email: agent.email, password: PASSWORD }),
        'session.opened',
        `user:${agent.id}`,
      ],
      'post /api/client/oidc/login': [
        dashboard.visitor.post(`${c}/oidc/login`, { user_id: agent.id }).set('cookie', `oidc=${seal}`),
        'session.opened',
        `user:${agent.id}`,
      ],
      'post /api/client/logout': [leaving.post(`${c}/logout`), 'session.closed', `user:${leaving.id}`],
      'put /api/client/me/password': [
        agent.put(`${c}/me/password`, { current_password: PASSWORD, new_password: secret }),
        'password.changed',
        `user:${agent.id}`,
      ],
      'delete /api/client/me/sessions/{id}': [
        changing.delete(`${c}/me/sessions/${sessions.sessions[0]?.id}`),
        'session.ended',
        `session:${sessions.sessions[0]?.id}`,
      ],
      'post /api/client/me/totp': [starting.post(`${c}/me/totp`), 'totp.begun', `user:${starting.id}`],
      'put /api/client/me/totp': [confirming.put(`${c}/me/totp`, { code: codeOf(totpSecret, 1) }), 'totp.enabled', `user:${confirming.id}`],
      'delete /api/client/me/totp': [ending.delete(`${c}/me/totp`, { password: PASSWORD }), 'totp.removed', `user:${ending.id}`],
      'post /api/client/password': [
        dashboard.visitor.post(`${c}/password`, { token: invite_url.split('=')[1], new_password: secret }),
        'password.set',
        `user:${invitedId}`,
      ],
      'post /api/client/api-keys': [
        owner.post(`${c}/api-keys`, { name: 'Web', permissions: ['*'] }),
        'api-key.created',
        `api-key:${newKey}`,
      ],
      'patch /api/client/api-keys/{id}': [
        owner.patch(`${c}/api-keys/${keyId}`, { name: 'Shop', allowed_ips: ['127.0.0.1'] }),
        'api-key.changed',
        `api-key:${keyId}`,
      ],
      'post /api/client/api-keys/{id}/rotate': [
        owner.post(`${c}/api-keys/${rotatedId}/rotate`, { grace_minutes: 15 }),
        'api-key.rotated',
        `api-key:${rotatedId}`,
      ],
      'delete /api/client/api-keys/{id}': [owner.delete(`${c}/api-keys/${keyId}`), 'api-key.revoked', `api-key:${keyId}`],
      'post /api/client/webhooks': [owner.post(`${c}/webhooks`, hook), 'webhook.created', 'webhook:7'],
      'put /api/client/webhooks/{id}': [owner.put(`${c}/webhooks/7`, hook), 'webhook.changed', 'webhook:7'],
      'delete /api/client/webhooks/{id}': [owner.delete(`${c}/webhooks/7`), 'webhook.deleted', 'webhook:7'],
      'post /api/client/webhooks/{id}/test': [owner.post(`${c}/webhooks/7/test`), 'webhook.tested', 'webhook:7'],
      'post /api/client/webhooks/{id}/deliveries/{delivery_id}/redeliver': [
        owner.post(`${c}/webhooks/7/deliveries/8/redeliver`),
        'delivery.redelivered',
        'webhook:7',
      ],
      'post /api/client/webhooks/{id}/recover': [
        owner.post(`${c}/webhooks/7/recover`, { since: '2026-11-22T09:00:00Z' }),
        'webhook.recovered',
        'webhook:7',
      ],
      'delete /api/client/webhooks/{id}/recover': [owner.delete(`${c}/webhooks/7/recover`), 'webhook.recovery-cancelled', 'webhook:7'],
      'put /api/client/connection': [owner.put(`${c}/connection`, { ...ids, ...secrets }), 'connection.set', null],
      'post /api/client/connection/subscribe': [owner.post(`${c}/connection/subscribe`), 'connection.subscribed', null],
      'post /api/client/templates': [owner.post(`${c}/templates`, template), 'template.created', 'template:offer/en'],
      'post /api/client/media/samples': [owner.raw(`${c}/media/samples`, 'application/pdf', `%PDF ${CANARY}`), 'file.uploaded', null],
      'put /api/client/templates/{id}': [
        owner.put(`${c}/templates/9`, { category: 'UTILITY', body: 'Hi' }),
        'template.changed',
        'template:9',
      ],
      'delete /api/client/templates/{id}': [owner.delete(`${c}/templates/9`), 'template.deleted', 'template:9'],
      'post /api/client/templates/sync': [owner.post(`${c}/templates/sync`), 'templates.synced', null],
      'post /api/client/conversations/{id}/messages': [
        owner.post(`${c}/conversations/5/messages`, { text: CANARY }),
        'reply.sent',
        'conversation:5',
      ],
      'post /api/client/conversations/{id}/files': [
        owner.post(`${c}/conversations/5/files`, { media_type: 'image', media_id: '7', caption: CANARY }),
        'reply.sent',
        'conversation:5',
      ],
      'post /api/client/conversations/{id}/reactions': [
        owner.post(`${c}/conversations/5/reactions`, { message_id: CANARY, emoji: '👍' }),
        'reply.sent',
        'conversation:5',
      ],
      'post /api/client/media': [owner.raw(`${c}/media`, 'text/plain', CANARY), 'file.uploaded', 'file:11'],
      'patch /api/client/conversations/{id}': [
        owner.patch(`${c}/conversations/5`, { labels: ['VIP'] }),
        'conversation.changed',
        'conversation:5',
      ],
      'post /api/client/conversations/{id}/templates': [
        owner.post(`${c}/conversations/5/templates`, { template_name: 'offer', body_params: [CANARY] }),
        'reply.sent',
        'conversation:5',
      ],
      'post /api/client/messages': [owner.post(`${c}/messages`, { phone: PHONE, text: CANARY }), 'reply.sent', null],
      'post /api/client/conversations/{id}/notes': [
        owner.post(`${c}/conversations/5/notes`, { text: CANARY }),
        'note.added',
        'conversation:5',
      ],
      'post /api/client/labels': [owner.post(`${c}/labels`, { name: 'VIP', color: 'red' }), 'label.created', 'label:10'],
      'put /api/client/labels/{id}': [owner.put(`${c}/labels/10`, { color: 'red' }), 'label.changed', 'label:10'],
      'delete /api/client/labels/{id}': [owner.delete(`${c}/labels/10`), 'label.deleted', 'label:10'],
      'post /api/client/quick-replies': [
        owner.post(`${c}/quick-replies`, { shortcut: 'hi', text: CANARY }),
        'quick-reply.created',
        'quick-reply:10',
      ],
      'put /api/client/quick-replies/{id}': [owner.put(`${c}/quick-replies/10`, { text: CANARY }), 'quick-reply.changed', 'quick-reply:10'],
      'delete /api/client/quick-replies/{id}': [owner.delete(`${c}/quick-replies/10`), 'quick-reply.deleted', 'quick-reply:10'],
      'put /api/client/suppressions/{phone}': [
        owner.put(`${c}/suppressions/${PHONE}`, { state: 'blocked', reason: CANARY }),
        'suppression.set',
        'contact:…0100',
      ],
      'post /api/client/suppressions/import': [
        owner.post(`${c}/suppressions/import`, { rows: [{ phone: PHONE, state: 'blocked', reason: CANARY }] }),
        'suppressions.imported',
        null,
      ],
      'delete /api/client/suppressions/{phone}': [owner.delete(`${c}/suppressions/${PHONE}`), 'suppression.lifted', 'contact:…0100'],
      'delete /api/client/people/{phone}': [owner.delete(`${c}/people/${PHONE}`, { reason: CANARY }), 'person.erased', 'contact:…0100'],
      'put /api/client/settings': [owner.put(`${c}/settings`, { stop_words: ['STOP'] }), 'settings.changed', null],
      'post /api/client/team': [owner.post(`${c}/team`, person('ben@x.example')), 'user.invited', `user:${newUser}`],
      'post /api/client/team/{id}/reset': [owner.post(`${c}/team/${invitedId}/reset`), 'user.reset', `user:${invitedId}`],
      'patch /api/client/team/{id}': [owner.patch(`${c}/team/${agent.id}`, { role: 'manager' }), 'user.role-changed', `user:${agent.id}`],
      'delete /api/client/team/{id}/totp': [owner.delete(`${c}/team/${lost.id}/totp`), 'totp.removed', `user:${lost.id}`],
      'delete /api/client/team/{id}': [owner.delete(`${c}/team/${leaving.id}`), 'user.removed', `user:${leaving.id}`],
      'post /api/client/broadcasts': [owner.post(`${c}/broadcasts`, broadcast), 'broadcast.created', 'broadcast:9'],
      'post /api/client/broadcasts/{id}/retry': [owner.post(`${c}/broadcasts/9/retry`), 'broadcast.created', 'broadcast:10'],
      'post /api/client/broadcasts/{id}/cancel': [owner.post(`${c}/broadcasts/9/cancel`), 'broadcast.cancelled', 'broadcast:9'],
      'post /api/client/broadcasts/{id}/pause': [owner.post(`${c}/broadcasts/9/pause`), 'broadcast.paused', 'broadcast:9'],
      'post /api/client/broadcasts/{id}/resume': [owner.post(`${c}/broadcasts/9/resume`), 'broadcast.resumed', 'broadcast:9'],
      'put /api/client/auto-reply': [
        owner.put(`${c}/auto-reply`, { instructions: CANARY, api_key: secret, base_url: `https://model.example/${CANARY}` }),
        'auto-reply.changed',
        null,
      ],
      'post /api/client/auto-reply/try': [owner.post(`${c}/auto-reply/try`, { text: CANARY }), 'auto-reply.tried', null],
      'post /api/admin/businesses': [
        operator.post(`${a}/businesses`, { name: 'Kaveri', plan: 'Pro' }),
        'business.created',
        `business:${newBusiness}`,
      ],
      'patch /api/admin/businesses/{id}': [
        operator.patch(`${a}/businesses/${business}`, { plan: 'Pro' }),
        'business.changed',
        `business:${business}`,
      ],
      'post /api/admin/businesses/{id}/users': [
        operator.post(`${a}/businesses/${business}/users`, { ...person('eve@x.example'), password: secret }),
        'user.created',
        `user:${newUser + 1}`,
      ],
      'post /api/admin/users/{id}/reset': [operator.post(`${a}/users/${owner.id}/reset`), 'user.reset', `user:${owner.id}`],
      'delete /api/admin/users/{id}/totp': [operator.delete(`${a}/users/${changing.id}/totp`), 'totp.removed', `user:${changing.id}`],
      'patch /api/admin/api-keys/{id}': [
        operator.patch(`${a}/api-keys/${newKey}`, { daily_limit: 7 }),
        'api-key.limits-changed',
        `api-key:${newKey}`,
      ],
      'post /api/admin/dead-letters/{service}/{id}/replay': [
        operator.post(`${a}/dead-letters/status/4/replay`),
        'dead-letter.replayed',
        'dead-letter:status:4',
      ],
      'delete /api/admin/dead-letters/{service}/{id}': [
        operator.delete(`${a}/dead-letters/status/4`),
        'dead-letter.discarded',
        'dead-letter:status:4',
      ],
      'put /api/admin/rate-card': [
        operator.put(`${a}/rate-card`, { csv: 'prefix,currency,valid_from,utility\n91,INR,2026-10-01,0.115' }),
        'rate-card.set',
        null,
      ],
      'put /api/admin/limits': [operator.put(`${a}/limits`, { global_per_minute: 1_000 }), 'limits.set', null],
    };
  }

  it('has every write of the dashboard and operator APIs once, with person, address and request id, and no secret', async () => {
    const document = (await request(dashboard.visitor.server).get('/openapi.json').expect(200)).body as { paths: Record<string, object> };
    const routes = Object.entries(document.paths)
      .filter(([path]) => !path.startsWith('/api/v1/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
      .filter((route) => !route.startsWith('get ') && !WITHOUT_ENTRY.includes(route));
    const requests = await writes();
    expect(Object.keys(requests).sort()).toEqual(routes.sort());
    for (const [route, [test, action, target]] of Object.entries(requests)) {
      const id = `test:${route.replaceAll(/[^\w]/g, '.')}`;
      const { status, body } = await test.set('x-request-id', id);
      expect([route, status, body]).toEqual([route, 200, body]);
      const { entries } = await read(operator, OPERATOR_AUDIT);
      const caused = entries.filter(({ request_id }) => request_id === id);
      expect([route, caused]).toEqual([
        route,
        [
          {
            id: expect.any(Number) as number,
            at: expect.stringMatching(/Z$/) as string,
            user: { id: expect.any(Number) as number, name: expect.any(String) as string, email: expect.stringContaining('@') as string },
            action,
            target,
            ip: expect.stringContaining('127.0.0.1') as string,
            request_id: id,
            detail: expect.any(Object) as object,
          },
        ],
      ]);
    }
    // Email addresses are no secret: the invited person's contains the canary.
    const rows = await dashboard.db.query<{ row: string }>(`SELECT replace(a::text, '${CANARY}@', '') AS row FROM access.audit a`);
    const text = JSON.stringify(rows);
    for (const secret of [CANARY, PASSWORD, PHONE, owner.token, 'mgw_live', '#token', '$argon2']) expect(text).not.toContain(secret);
  });

  it.each([
    ['webhooks/7', 'webhook.changed', { is_active: false }, ['is_active']],
    ['webhooks/7', 'webhook.changed', { name: null, secret: null }, ['secret']],
    ['auto-reply', 'auto-reply.changed', { enabled: false }, ['enabled']],
    ['auto-reply', 'auto-reply.changed', { model: null, base_url: null, instructions: 'Be brief.' }, ['base_url', 'instructions']],
  ])('PUT %s: %s names the fields that the request changes, and no other', async (path, action, change, changed) => {
    await owner.put(`/api/client/${path}`, change).expect(200);
    const [entry] = (await read(owner, `${AUDIT}?action=${action}`)).entries;
    expect((entry?.detail['changed'] as string[]).toSorted()).toEqual(changed);
  });

  it('names the address of a caller who has gone, even when another request ends before, and keeps no storage on afterwards', async () => {
    const { neighbours, visitor } = dashboard;
    let finish = () => {};
    const held = new Promise<void>((resolve) => (finish = resolve));
    const begun = new Promise<void>((resolve) =>
      neighbours.respond(DeleteLabel, async () => {
        resolve();
        await held;
        return {};
      }),
    );
    const { port } = visitor.server.address() as AddressInfo;
    const headers = { cookie: `token=${owner.token}`, 'x-request-id': 'test:gone' };
    const gone = httpRequest({ port, method: 'DELETE', path: '/api/client/labels/10', headers, agent: false }).on('error', () => {});
    gone.end();
    await begun;
    gone.destroy();
    const off = jest.spyOn(AsyncLocalStorage.prototype, 'disable');
    await owner.post('/api/client/labels', { name: 'Kept', color: 'red' }).expect(200);
    expect(off).not.toHaveBeenCalled();
    finish();
    const deleted = await eventually(async () => (await read(owner, `${AUDIT}?action=label.deleted`)).entries[0]);
    expect(deleted).toMatchObject({ ip: expect.stringContaining('127.0.0.1') as string, request_id: 'test:gone' });
    await eventually(() => off.mock.calls.length > 0);
    off.mockRestore();
    respond();
  });

  it('is for owners: they see their business only, including what operators and failed logins did', async () => {
    const other = await dashboard.session('owner', await dashboard.business());
    const agent = await dashboard.session('agent', business);
    await operator.patch(`/api/admin/businesses/${business}`, { plan: 'Pro' }).expect(200);
    await dashboard.visitor.post('/api/client/login', { email: owner.email, password: 'wrong' }).expect(401);
    const log = await read(owner, AUDIT);
    expect(actions(log)).toEqual(['session.refused', 'business.changed', 'session.opened', 'session.opened']);
    expect(log.entries[1]?.user).toEqual({ id: operator.id, email: operator.email, name: 'Operator' });
    expect(actions(await read(other, AUDIT))).toEqual(['session.opened']);
    await agent.get(AUDIT).expect(403);
    await operator.get(AUDIT).expect(403);
    await owner.get(OPERATOR_AUDIT).expect(403);
    expect(actions(await read(operator, `${OPERATOR_AUDIT}?business_id=${business}`))).toEqual(actions(log));
    expect((await read(operator, OPERATOR_AUDIT)).entries.length).toBeGreaterThan(log.entries.length);
  });

  it('shows operators only where a wrong password came from, whether one business has the address or several (decision 254)', async () => {
    const other = await dashboard.session('owner', await dashboard.business());
    const added = { email: owner.email, name: 'Twin', role: 'agent', password: 'password of the twin' };
    const { body } = await other.post('/api/client/team', added).expect(200);
    const { id } = body as { id: number };
    const login = (email: string, user_id?: number) =>
      dashboard.visitor.post('/api/client/login', { email, password: 'wrong', ...(user_id && { user_id }) }).expect(401);
    await login(owner.email);
    await login(owner.email, id);
    await login(owner.email, 999_999_999);
    await login(other.email);
    const query = 'action=session.refused';
    const refused = [await read(owner, `${AUDIT}?${query}`), await read(other, `${AUDIT}?${query}`)].flatMap(({ entries }) => entries);
    expect(refused).toHaveLength(6);
    for (const entry of refused) {
      expect(entry).toMatchObject({ ip: null, request_id: expect.any(String) as string });
      expect(entry.detail).not.toHaveProperty('network');
      const { entries } = await read(operator, `${OPERATOR_AUDIT}?${query}`);
      expect(entries.find((seen) => seen.id === entry.id)).toEqual({
        ...entry,
        ip: expect.stringContaining('127.0.0.1') as string,
        detail: { ...entry.detail, network: expect.any(String) as string },
      });
    }
    const csv = parse<Record<string, string>>((await other.get(`${AUDIT}?${query}&format=csv`).expect(200)).text, { columns: true });
    expect(csv.map(({ ip }) => ip)).toEqual(['', '', '', '']);
    expect(csv.map(({ detail }) => detail).join()).not.toContain('network');
  });

  it('filters by person, action, day and time, and continues after its cursor', async () => {
    const agent = await dashboard.session('agent', business);
    for (const name of ['A', 'B', 'C']) await owner.post('/api/client/api-keys', { name, permissions: ['*'] }).expect(200);
    expect(actions(await read(owner, `${AUDIT}?user_id=${agent.id}`))).toEqual(['session.opened']);
    const first = await read(owner, `${AUDIT}?action=api-key.created&limit=2`);
    expect(first.entries.map(({ detail }) => detail['name'])).toEqual(['C', 'B']);
    const second = await read(owner, `${AUDIT}?action=api-key.created&limit=2&cursor=${first.next_cursor}`);
    expect([second.entries.map(({ detail }) => detail['name']), second.next_cursor]).toEqual([['A'], null]);
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    const [before, day, after] = [101, 100, 99].map(daysAgo);
    // 23:00 in Asia/Kolkata, the business's zone.
    await dashboard.db.query(`UPDATE access.audit SET at = $2 WHERE user_id = $1`, [agent.id, `${day}T17:30:00Z`]);
    const counts = async (query: string) => (await read(owner, `${AUDIT}?${query}`)).entries.length;
    expect(await counts(`from=${day}&to=${day}`)).toBe(1);
    expect(await counts(`from=${after}&to=${after}`)).toBe(0);
    expect(await counts(`to=${before}`)).toBe(0);
    expect(await counts(`to=${day}T17:30:00Z`)).toBe(1);
    expect(await counts(`to=${day}T17:29:59Z`)).toBe(0);
    // An entry has its time in microseconds, which the log shows in milliseconds.
    await dashboard.db.query(`UPDATE access.audit SET at = $2 WHERE user_id = $1`, [agent.id, `${day}T17:30:00.123456Z`]);
    const [shown] = (await read(owner, `${AUDIT}?user_id=${agent.id}`)).entries;
    expect(await counts(`from=${shown?.at}&to=${shown?.at}`)).toBe(1);
    expect(await counts(`to=${day}T17:30:00.122Z`)).toBe(0);
    await dashboard.db.query(`UPDATE access.audit SET at = $2 WHERE user_id = $1`, [agent.id, `${day}T17:30:00Z`]);
    expect(await counts(`from=${day}T17:30:01Z`)).toBe(4);
    expect(await counts(`to=${after}T09:30:00.${'0'.repeat(150)}%2B16:00`)).toBe(1);
  });

  it.each([['user_id=x'], ['action=none'], ['from=2026-02-31'], ['to=yesterday'], ['format=xml'], ['cursor=x'], ['business_id=1']])(
    'refuses ?%s with 400',
    async (query) => {
      await owner.get(`${AUDIT}?${query}`).expect(400);
    },
  );

  it('downloads all matching entries as CSV that no spreadsheet runs', async () => {
    await owner.post('/api/client/team', { email: 'f@x.example', name: '=1+1, "quoted"', role: 'owner', password: PASSWORD }).expect(200);
    await dashboard.visitor.post('/api/client/login', { email: 'f@x.example', password: PASSWORD }).expect(200);
    await dashboard.db.query(
      `INSERT INTO access.audit (business_id, action, detail) SELECT $1, 'templates.synced', '{}' FROM generate_series(1, 450)`,
      [business],
    );
    const response = await owner.get(`${AUDIT}?format=csv`).expect(200);
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(response.headers['content-disposition']).toBe('attachment; filename="audit.csv"');
    const rows = parse<Record<string, string>>(response.text, { columns: true });
    expect(rows).toHaveLength(453);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(453);
    expect(rows.find(({ user_email }) => user_email === 'f@x.example')).toMatchObject({
      user_name: `'=1+1, "quoted"`,
      action: 'session.opened',
      detail: '{}',
    });
  });

  it('guarantees N1: a business that does not read its downloads gets 429 for the third, and others get theirs', async () => {
    await dashboard.db.query(
      `INSERT INTO access.audit (business_id, action, detail)
       SELECT $1, 'templates.synced', jsonb_build_object('long', repeat('x', 20000)) FROM generate_series(1, 500)`,
      [business],
    );
    const { port } = dashboard.visitor.server.address() as AddressInfo;
    const unread = await Promise.all(
      [1, 2].map(async () => {
        const sent = get({ port, path: `${AUDIT}?format=csv`, headers: { cookie: `token=${owner.token}` }, agent: false });
        const [response] = (await once(sent, 'response')) as [IncomingMessage];
        expect(response.statusCode).toBe(200);
        return response.pause();
      }),
    );
    expect((await owner.get(`${AUDIT}?format=csv`).expect(429)).body).toMatchObject({
      error_code: 'RATE_LIMITED',
      retry_after_seconds: 10,
    });
    const other = await dashboard.session('owner', await dashboard.business());
    await other.get(`${AUDIT}?format=csv`).expect(200);
    for (const response of unread) response.destroy();
    await eventually(() => owner.get(`${AUDIT}?format=csv`).expect(200));
  });

  it('an accepted reply is a success even when its entry cannot be stored', async () => {
    await dashboard.db.query(`ALTER TABLE access.audit ADD CONSTRAINT broken CHECK (action <> 'reply.sent') NOT VALID`);
    await owner.post('/api/client/conversations/5/messages', { text: 'On its way.' }).expect(200);
    await dashboard.db.query('ALTER TABLE access.audit DROP CONSTRAINT broken');
  });

  it('has a write whose response was lost, and no refused write', async () => {
    const fail = (code: 'REPLY_LOST' | 'NOT_FOUND') =>
      dashboard.neighbours.respond(DeleteWebhook, () => {
        throw new GatewayError(code, 'No.');
      });
    fail('REPLY_LOST');
    await owner.delete('/api/client/webhooks/7').expect(500);
    fail('NOT_FOUND');
    await owner.delete('/api/client/webhooks/7').expect(404);
    const { entries } = await read(owner, `${AUDIT}?action=webhook.deleted`);
    expect(entries.map(({ target, detail }) => [target, detail])).toEqual([['webhook:7', { outcome: 'unknown' }]]);
    respond();
  });

  it('has a template that WhatsApp may have deleted', async () => {
    dashboard.neighbours.respond(DeleteTemplate, () => {
      throw new GatewayError('OUTCOME_UNKNOWN', 'WhatsApp gave no clear response.');
    });
    await owner.delete('/api/client/templates/9').expect(500, /OUTCOME_UNKNOWN/);
    const { entries } = await read(owner, `${AUDIT}?action=template.deleted`);
    expect(entries[0]).toMatchObject({ target: 'template:9', detail: { outcome: 'unknown' } });
    respond();
  });

  it('has a reply once, however often it is retried', async () => {
    const reply = () =>
      owner.post('/api/client/conversations/5/messages', { text: 'On its way.' }).set('idempotency-key', 'one').expect(200);
    await reply();
    dashboard.neighbours.respond(SendText, () => ({ message_id: 'wamid.A', phone: PHONE, replayed: true }));
    await reply();
    // The message id contains the person's number, which an entry must not outlive (decision 293).
    expect((await read(owner, `${AUDIT}?action=reply.sent`)).entries.map(({ detail }) => detail)).toEqual([{}]);
    respond();
  });

  it('names a removed person, and a person as they were then', async () => {
    const agent = await dashboard.session('agent', business);
    await owner.delete(`/api/client/team/${agent.id}`).expect(200);
    const log = await read(owner, `${AUDIT}?user_id=${agent.id}`);
    expect(log.entries[0]?.user).toEqual({ id: agent.id, email: agent.email, name: 'Agent' });
  });

  it('expires after RETENTION_AUDIT_DAYS', async () => {
    await dashboard.db.query(`UPDATE access.audit SET at = now() - interval '400 days 1 minute' WHERE business_id = $1`, [business]);
    await dashboard.visitor.post('/api/client/login', { email: owner.email, password: PASSWORD }).expect(200);
    expect(actions(await read(owner, AUDIT))).toEqual(['session.opened']);
  });
});
