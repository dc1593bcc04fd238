import {
  CancelRecovery,
  CheckBroadcast,
  CreateBroadcast,
  CreateWebhook,
  DeleteWebhook,
  FindConversation,
  FindSends,
  GatewayError,
  GetBroadcast,
  GetMessageStatuses,
  GetRecovery,
  GetSuppression,
  ImportSuppressions,
  LiftSuppression,
  ListDeliveries,
  ListInboundMessages,
  ListMessages,
  ListRecipients,
  ListSuppressions,
  ListWebhooks,
  PauseBroadcast,
  RecoverDeliveries,
  SetSuppression,
  UpdateWebhook,
  type FoundSend,
  type InboundMessage,
  type LoggedMessage,
  type Operation,
  type Permission,
  type RequestOf,
} from '@mgw/contracts';
import { sampleConversation } from '@mgw/harness';
import { cursorOf } from '@mgw/postgres';
import request from 'supertest';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';
import { LimitsStore } from '../limits/limits.store';

const WEBHOOK = { name: 'CRM', url: 'https://crm.example/hook', events: ['message.sent'] };
const BROADCAST = { name: 'Autumn', template_name: 'offer', recipients: [{ phone: '+1 201 555 0100' }, { phone: '+1 201 555 0101' }] };
const IMPORT = { rows: [{ phone: '+1 201 555 0100', state: 'opted_out' }] };
const RECIPIENT = '12015550100';

type Method = 'get' | 'post' | 'put' | 'delete';
const ROUTES: [Method, string, Permission, object | undefined][] = [
  ['get', 'webhooks', 'manage_webhooks', undefined],
  ['post', 'webhooks', 'manage_webhooks', WEBHOOK],
  ['put', 'webhooks/7', 'manage_webhooks', { is_active: false }],
  ['delete', 'webhooks/7', 'manage_webhooks', undefined],
  ['get', 'webhooks/7/deliveries', 'manage_webhooks', undefined],
  ['post', 'webhooks/7/recover', 'manage_webhooks', { since: '2026-11-22T09:00:00Z' }],
  ['get', 'webhooks/7/recover', 'manage_webhooks', undefined],
  ['delete', 'webhooks/7/recover', 'manage_webhooks', undefined],
  ['get', 'suppressions', 'manage_people', undefined],
  ['post', 'suppressions/import', 'manage_people', IMPORT],
  ['get', `suppressions/${RECIPIENT}`, 'manage_people', undefined],
  ['put', `suppressions/${RECIPIENT}`, 'manage_people', { state: 'blocked' }],
  ['delete', `suppressions/${RECIPIENT}`, 'manage_people', undefined],
  ['get', 'messages', 'read_messages', undefined],
  ['get', `conversations/${RECIPIENT}`, 'read_messages', undefined],
  ['post', 'broadcasts', 'send_template', BROADCAST],
  ['get', 'broadcasts/7', 'send_template', undefined],
  ['get', 'broadcasts/7/recipients', 'send_template', undefined],
  ['post', 'broadcasts/7/pause', 'send_template', undefined],
];

describe('the account by key (decisions 360 to 364)', () => {
  let dashboard: Dashboard;
  let key: { id: number; token: string; business_id: number };
  let requested: Record<string, unknown>[];
  beforeAll(async () => {
    dashboard = await startDashboard();
    await dashboard.db.transaction((tx) => dashboard.get(LimitsStore).setGlobalPerMinute(tx, 100_000));
    key = await dashboard.apiKey({ limit: 100_000 });
  });
  afterAll(() => dashboard.close());
  beforeEach(() => {
    requested = [];
    const done = (reply: object) => (received: Record<string, unknown>) => {
      requested.push(received);
      return reply;
    };
    const at = '2027-01-31T00:00:00.000Z';
    const broadcast = { id: 7, name: 'Autumn', template_name: 'offer', language: 'en', status: 'running', total_recipients: 2, sent: 1 };
    const counts = {
      failed: 0,
      unclear: 0,
      pending: 1,
      created_at: at,
      scheduled_at: null,
      started_at: at,
      finished_at: null,
      retry_of: null,
    };
    const suppression = { phone: RECIPIENT, state: 'blocked', source: 'api', reason: null, since: at };
    const replies: [Operation, object][] = [
      [ListWebhooks, { webhooks: [] }],
      [CreateWebhook, { id: 7 }],
      [UpdateWebhook, {}],
      [DeleteWebhook, {}],
      [ListDeliveries, { deliveries: [], next_cursor: null }],
      [RecoverDeliveries, { queued: 1, next_since: null }],
      [GetRecovery, { recovery: null }],
      [CancelRecovery, { cancelled: 2 }],
      [ListSuppressions, { suppressions: [suppression], next_cursor: null }],
      [GetSuppression, { suppression }],
      [SetSuppression, {}],
      [LiftSuppression, {}],
      [ImportSuppressions, { added: 1, unchanged: 0 }],
      [ListMessages, { messages: [], next_cursor: null, cursors: [] }],
      [ListInboundMessages, { messages: [], next_cursor: null, cursors: [] }],
      [FindConversation, { conversation: null }],
      [CreateBroadcast, { id: 7 }],
      [GetBroadcast, { broadcast: { ...broadcast, ...counts }, delivered: 1, read: 0, replied: 0, retryable: 0, failures: [] }],
      [ListRecipients, { recipients: [], next_cursor: null }],
      [PauseBroadcast, {}],
    ];
    for (const [operation, reply] of replies) dashboard.neighbours.respond(operation, done(reply) as never);
  });

  const call = (method: Method, path: string, body?: object, token = key.token) => {
    const sent = request(dashboard.visitor.server)[method](`/api/v1/${path}`).set('x-api-key', token);
    return body ? sent.send(body) : sent;
  };
  const entries = () =>
    dashboard.db.query<{ action: string; target: string | null; ip: string | null; detail: object }>(
      'SELECT action, target, ip, detail FROM access.audit WHERE business_id = $1 ORDER BY id',
      [key.business_id],
    );

  it.each(ROUTES)('decision 360: %s %s needs %s, and only sends need a plan', async (method, path, permission, body) => {
    const [bare, starter] = await Promise.all([
      dashboard.apiKey({ permissions: ['send_otp'] }),
      dashboard.apiKey({ permissions: [permission], plan: 'Starter' }),
    ]);
    expect((await call(method, path, body, bare.token).expect(403)).body).toMatchObject({
      error_code: 'PERMISSION_DENIED',
      error: expect.stringContaining(`"${permission}"`) as string,
    });
    const onStarter = await call(method, path, body, starter.token);
    if (permission === 'send_template') expect(onStarter.body).toMatchObject({ error_code: 'PLAN_NOT_ALLOWED' });
    else expect([onStarter.status, onStarter.body]).toEqual([200, expect.objectContaining({ success: true })]);
    expect((await call(method, path, body && { ...body, unknown: 1 }).expect(200)).body).toMatchObject({ success: true });
  });

  it('decision 361: changes reach the services of the dashboard’s routes, and the audit log with the key', async () => {
    await dashboard.db.query('DELETE FROM access.audit WHERE business_id = $1', [key.business_id]);
    expect((await call('post', 'webhooks', { ...WEBHOOK, secret: 'hush' }).expect(200)).body).toEqual({
      success: true,
      id: 7,
      message: 'Webhook created.',
    });
    expect(requested[0]).toMatchObject({ business_id: key.business_id, ...WEBHOOK });
    expect(dashboard.sealer.open(String(requested[0]?.['secret_sealed']), `webhook.secret:${key.business_id}`)).toBe('hush');
    await call('put', 'suppressions/%2B1%20201-555-0100', { state: 'blocked' }).expect(200);
    expect(requested[1]).toEqual({ business_id: key.business_id, phone: RECIPIENT, state: 'blocked', reason: null, source: 'api' });
    const since = '2026-11-22T09:00:00Z';
    expect((await call('post', 'webhooks/7/recover', { since }).expect(200)).body).toEqual({
      success: true,
      queued: 1,
      message: '1 delivery is queued.',
    });
    expect(requested[2]).toMatchObject({ business_id: key.business_id, webhook_id: 7, states: ['failed', 'skipped'] });
    await call('delete', 'webhooks/7/recover').expect(200);
    await call('delete', 'webhooks/7').expect(200);
    const detail = { api_key_id: key.id };
    const ip = expect.stringContaining('127.0.0.1') as string;
    expect(await entries()).toEqual([
      { action: 'webhook.created', target: 'webhook:7', ip, detail: { ...detail, name: 'CRM', events: WEBHOOK.events, signed: true } },
      { action: 'suppression.set', target: 'contact:…0100', ip, detail: { ...detail, state: 'blocked' } },
      { action: 'webhook.recovered', target: 'webhook:7', ip, detail: { ...detail, since, queued: 1 } },
      { action: 'webhook.recovery-cancelled', target: 'webhook:7', ip, detail },
      { action: 'webhook.deleted', target: 'webhook:7', ip, detail },
    ]);
  });

  it('decision 785: a repeated creation of a webhook is marked, and a rotation keeps the Idempotency-Keys of its key', async () => {
    const create = (token: string) => call('post', 'webhooks', WEBHOOK, token).set('idempotency-key', 'hook-1').expect(200);
    const owner = await dashboard.session('owner', key.business_id);
    const rotated = await owner.post(`/api/client/api-keys/${key.id}/rotate`, { grace_minutes: 60 }).expect(200);
    await create(key.token);
    dashboard.neighbours.respond(CreateWebhook, ({ idempotency }) => {
      requested.push({ idempotency });
      return { id: 7, replayed: true };
    });
    const { body, headers } = await create((rotated.body as { key: string }).key);
    expect(body).toEqual({ success: true, id: 7, message: 'Webhook created.' });
    expect(headers).toHaveProperty('idempotency-replayed', 'true');
    const stored = { key: expect.stringMatching(`^api-key:${key.id}:[0-9a-f]{64}$`) as string };
    expect(requested).toMatchObject([{ idempotency: stored }, { idempotency: requested[0]?.['idempotency'] }]);
  });

  it('decision 362: an import takes the good rows, and names each fault by its row', async () => {
    const good = { phone: '98765 43210', state: 'blocked', reason: 'Letter', since: '2026-10-01T02:00:00+02:00', list: 'x' };
    const faulty = [
      7,
      { ...good, phone: '12' },
      { ...good, phone: 5 },
      { ...good, state: 'gone' },
      { ...good, reason: ' ' },
      { ...good, reason: 'x'.repeat(501) },
      { ...good, reason: 'Letter\u000b' },
      { ...good, reason: 'Letter\r\n' },
      { ...good, since: '2026-10-01' },
      { ...good, since: '2999-01-01T00:00:00Z' },
    ];
    const { body } = await call('post', 'suppressions/import', { rows: [...faulty, good] }).expect(200);
    const { faults, ...counts } = body as { faults: { row: number; field: string }[] };
    expect(counts).toEqual({ success: true, added: 1, unchanged: 0 });
    const fields = ['', 'phone', 'phone', 'state', 'reason', 'reason', 'reason', 'reason', 'since', 'since'];
    expect(faults.map(({ row, field }) => [row, field])).toEqual(fields.map((field, i) => [i + 1, field]));
    const row = { phone: '919876543210', state: 'blocked', reason: 'Letter', since: '2026-10-01T00:00:00.000Z' };
    expect(requested).toEqual([{ business_id: key.business_id, rows: [row], source: 'api' }]);
    const many = Array.from({ length: 10_001 }, () => 7);
    expect((await call('post', 'suppressions/import', { rows: many }).expect(400)).body).toMatchObject({ details: [{ field: 'rows' }] });
  });

  it('decision 361: ignores unknown members of recipients, and the dashboard’s routes refuse them', async () => {
    const recipients = [{ phone: RECIPIENT, body_params: ['Asha'], name: 'Asha', crm: { id: 7 } }];
    await call('post', 'broadcasts', { ...BROADCAST, recipients }).expect(200);
    expect(requested).toMatchObject([{ recipients: [{ line: 1, phone: RECIPIENT, body_params: ['Asha'], header_params: [] }] }]);
    const owner = await dashboard.session('owner', key.business_id);
    const refused = await owner.post('/api/client/broadcasts', { ...BROADCAST, recipients }).expect(400);
    expect(refused.body).toMatchObject({ error: expect.stringContaining('in line 1 name is not known') as string });
  });

  it.each<[string, Method, string, object | undefined]>([
    ['events', 'post', 'webhooks', { ...WEBHOOK, events: ['message.exploded'] }],
    ['url', 'post', 'webhooks', { ...WEBHOOK, url: 5 }],
    ['keep_old_minutes', 'put', 'webhooks/7', { keep_old_minutes: 60 }],
    ['state', 'get', 'webhooks/7/deliveries?state=lost', undefined],
    ['state', 'put', `suppressions/${RECIPIENT}`, { state: null }],
    ['phone', 'put', 'suppressions/12', { state: 'blocked' }],
    ['phone', 'get', 'conversations/12', undefined],
    ['rows', 'post', 'suppressions/import', { rows: {} }],
    ['rows', 'post', 'suppressions/import', {}],
    ['recipients', 'post', 'broadcasts', { ...BROADCAST, recipients: [{ phone: 5 }] }],
    ['scheduled_at', 'post', 'broadcasts', { ...BROADCAST, scheduled_at: 'soon' }],
    ['message_ids', 'post', 'message-status', { message_ids: [] }],
    ['message_ids', 'post', 'message-status', { message_ids: ['wamid.1', 'a b'] }],
    ['message_ids', 'post', 'message-status', { message_ids: Array.from({ length: 101 }, (_, i) => `wamid.${i}`) }],
    ['direction', 'get', 'messages?direction=up', undefined],
    ['from', 'get', 'messages?from=yesterday', undefined],
    ['api_key_id', 'get', 'messages?api_key_id=1e3', undefined],
    ['cursor', 'get', 'messages?cursor=W10', undefined],
    ['cursor', 'get', 'messages?cursor=%7B', undefined],
    ['status', 'get', 'messages?direction=in&status=read', undefined],
  ])('decisions 2, 7: names %s of an invalid %s %s: %j', async (field, method, path, body) => {
    const refused = await call(method, path, body).expect(400);
    expect(refused.body).toMatchObject({ error_code: 'VALIDATION_FAILED', details: [expect.objectContaining({ field })] });
    expect(requested).toEqual([]);
  });

  it('decision 25: 404 for malformed ids, 413 for a body of more than 4 MB', async () => {
    for (const path of ['webhooks/abc/deliveries', 'broadcasts/0']) await call('get', path).expect(404);
    await call('post', 'broadcasts', { ...BROADCAST, csv: 'x'.repeat(4 * 1024 * 1024) }).expect(413);
  });

  describe('GET messages (decision 363)', () => {
    const second = (n: number) => new Date(Date.UTC(2027, 0, 31, 0, 0, n)).toISOString();
    const sent = (n: number): LoggedMessage => ({
      message_id: `out.${n}`,
      to: RECIPIENT,
      type: 'text',
      template: null,
      text: 'Hi',
      sent_by: 'api',
      api_key_id: 1,
      api_status: 'success',
      delivery_status: 'read',
      failure_reason: null,
      sent_at: second(n),
    });
    const received = (n: number): InboundMessage => {
      const sender = { from: RECIPIENT, from_name: 'Asha', sent_at: second(n) };
      return { message_id: `in.${n}`, type: 'text', text: 'Hello', media: null, ...sender };
    };
    /** A list of a service, the newest first, whose pages may be shorter than the limit. */
    const listed =
      <M>(rows: M[], most: number) =>
      ({ limit, cursor }: { limit: number; cursor: string | null }) => {
        const start = Number(cursor ?? 0);
        const messages = rows.slice(start, start + Math.min(limit, most));
        const end = start + messages.length;
        return { messages, cursors: messages.map((_, i) => String(start + i + 1)), next_cursor: end < rows.length ? String(end) : null };
      };
    const read = async (query: string) => {
      const ids: string[] = [];
      for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
        const { body } = await call('get', `messages?${query}${cursor === null ? '' : `&cursor=${cursor}`}`).expect(200);
        const page = body as { messages: { message_id: string; direction: string }[]; next_cursor: string | null };
        ids.push(...page.messages.map(({ message_id }) => message_id));
        cursor = page.next_cursor;
      }
      return ids;
    };

    it.each([
      [2, 100],
      [3, 2],
      [100, 1],
    ])('merges both directions by time over all pages (limit %d, pages of services of at most %d)', async (limit, most) => {
      dashboard.neighbours.respond(ListMessages, listed([9, 8, 5, 4, 1].map(sent), most));
      dashboard.neighbours.respond(ListInboundMessages, listed([8, 7, 6, 3, 2].map(received), most));
      const all = ['out.9', 'out.8', 'in.8', 'in.7', 'in.6', 'out.5', 'out.4', 'in.3', 'in.2', 'out.1'];
      expect(await read(`limit=${limit}`)).toEqual(all);
      expect(await read(`limit=${limit}&direction=in`)).toEqual(all.filter((id) => id.startsWith('in')));
      expect(await read(`limit=${limit}&status=read`)).toEqual(all.filter((id) => id.startsWith('out')));
    });

    it.each(['x', '"'])('continues after message ids of 512 characters (%s)', async (filling) => {
      const long = <M extends { message_id: string }>(message: M) => ({ ...message, message_id: message.message_id.padEnd(512, filling) });
      const pages =
        <M extends { message_id: string }>(rows: M[]) =>
        ({ cursor }: { cursor: string | null }) => {
          const cursors = rows.map(({ message_id }) => cursorOf(['2027-01-31 00:00:00.123456+00', message_id]));
          const start = cursors.findIndex((one) => one === cursor) + 1;
          const rest = { messages: rows.slice(start, start + 1), cursors: cursors.slice(start, start + 1) };
          return { ...rest, next_cursor: cursors.slice(start, -1)[0] ?? null };
        };
      dashboard.neighbours.respond(ListMessages, pages([9, 7].map(sent).map(long)));
      dashboard.neighbours.respond(ListInboundMessages, pages([8, 6].map(received).map(long)));
      expect((await read('limit=1')).map((id) => id.slice(0, 5))).toEqual(['out.9', `in.8${filling}`, 'out.7', `in.6${filling}`]);
    });

    it('passes on the filters', async () => {
      await call('get', 'messages?phone=%2B1%20201-555-0100&from=2027-01-31T01:00:00%2B01:00&limit=7').expect(200);
      await call('get', 'messages?phone=nobody&status=read&template=offer&api_key_id=3&to=2027-01-31T00:00Z').expect(200);
      const common = { business_id: key.business_id, cursor: null };
      const first = { ...common, limit: 7, phone: RECIPIENT, from: second(0) };
      const sentOnly = { status: 'read', phone: 'nobody', search: null, template: 'offer', api_key_id: 3, to: second(0) };
      expect(requested).toHaveLength(3);
      expect(requested).toEqual(
        expect.arrayContaining([{ ...first, status: null, search: null }, first, { ...common, limit: 50, ...sentOnly }]),
      );
    });

    it('decision 52: finds a number whose + is not encoded, never the Indian number of these digits', async () => {
      await call('get', 'messages?phone=+6581340984').expect(200);
      expect(requested).toMatchObject([{ phone: '6581340984' }, { phone: '6581340984' }]);
    });
  });

  it('decision 363: GET conversations shows window, suppression and last message, even of somebody unknown', async () => {
    const closed = { open: false, last_inbound_at: null, closes_at: null };
    const unknown = await call('get', `conversations/${RECIPIENT}`).expect(200);
    expect(unknown.body).toEqual({ success: true, session_window: closed, suppression_state: null, last_message_at: null });
    const at = '2027-01-31T00:00:00.000Z';
    const session_window = { open: true, last_inbound_at: at, closes_at: '2027-02-01T00:00:00.000Z' };
    const last_message = { direction: 'in' as const, type: 'text', text: 'Our secret', at };
    const record = sampleConversation({ customer_name: 'Asha', session_window, suppression_state: 'blocked', last_message });
    dashboard.neighbours.respond(FindConversation, ({ phone }) => ({
      conversation: phone === RECIPIENT ? record : null,
    }));
    const known = await call('get', 'conversations/+1-201-555-0100').expect(200);
    expect(known.body).toEqual({ success: true, session_window, suppression_state: 'blocked', last_message_at: at });
  });

  it('spec §4.8: POST message-status responds in the order of the ids, and names unknown ones, for any key', async () => {
    const at = '2027-01-31T00:00:00.000Z';
    const status = (message_id: string) => ({
      message_id,
      delivery_status: 'read' as const,
      sent_at: at,
      to: RECIPIENT,
      failure_reason: null,
    });
    dashboard.neighbours.respond(GetMessageStatuses, ({ message_ids }) => ({
      statuses: message_ids.filter((id) => ['wamid.1', 'wamid.late'].includes(id)).map(status),
    }));
    const send = { to: RECIPIENT, at, failure_reason: null };
    dashboard.neighbours.respond(FindSends, ({ message_ids }) => ({
      sends: message_ids.map((id): FoundSend => {
        if (id === 'gw_late') return { ...send, message_id: 'wamid.late', state: 'accepted' };
        if (id === 'gw_no') return { ...send, message_id: id, state: 'refused', failure_reason: 'no' };
        if (id === 'wamid.new') return { ...send, message_id: id, state: 'accepted' };
        return id === 'gw_open' ? { ...send, message_id: id, state: 'calling' } : null;
      }),
    }));
    const { token } = await dashboard.apiKey({ permissions: ['send_otp'], plan: 'Starter' });
    const message_ids = ['gw_no', 'wamid.1', 'wamid.none', 'wamid.new', 'wamid.1', 'gw_open', 'gw_late'];
    const { body } = await call('post', 'message-status', { message_ids }, token).expect(200);
    const ok = { api_status: 'success', sent_at: at, to: RECIPIENT };
    expect(body).toEqual({
      success: true,
      statuses: [
        { message_id: 'gw_no', api_status: 'failed', delivery_status: 'failed', sent_at: at, to: RECIPIENT, failure_reason: 'no' },
        { message_id: 'wamid.1', delivery_status: 'read', ...ok },
        { message_id: 'wamid.new', delivery_status: 'sent', ...ok },
        { message_id: 'wamid.late', delivery_status: 'read', ...ok },
      ],
      unknown: ['wamid.none', 'gw_open'],
    });
  });

  describe('decision 332: POST broadcasts with dry_run', () => {
    const dryRun = (dry_run: unknown) => call('post', 'broadcasts', { ...BROADCAST, dry_run }).set('idempotency-key', 'dry');
    const daily_limit = { limit: 1_000, used: 10, left: 990, resets_at: '2027-02-01T00:00:00.000Z' };
    const faults = [{ line: 2, field: 'phone', message: 'is the same as in line 1' }];
    const found = { total: 2, wrong: 1, faults, daily_limit, category: 'MARKETING', suppressed: 1 };

    it('returns what the check finds and creates nothing, even with an Idempotency-Key', async () => {
      const checks: RequestOf<typeof CheckBroadcast>[] = [];
      dashboard.neighbours.respond(CheckBroadcast, (check) => {
        checks.push(check);
        return found;
      });
      const before = await entries();
      for (let i = 0; i < 2; i++)
        expect((await dryRun(true).expect(200)).body).toEqual({ success: true, dry_run: true, ...found, estimate: null });
      expect(checks[0]).toMatchObject({
        business_id: key.business_id,
        template_name: 'offer',
        plan: 'Growth',
        charged: { api_key_id: key.id, daily_limit: 150 },
      });
      expect([requested, await entries()]).toEqual([[], before]);
      expect((await dryRun(false).expect(200)).body).toMatchObject({ id: 7 });
      expect(requested).toHaveLength(1);
    });

    it('is refused for input that a broadcast would be refused for, beyond the cap of its key, and for another value', async () => {
      dashboard.neighbours.respond(CheckBroadcast, () => {
        throw new GatewayError('DAILY_LIMIT_REACHED', '2 messages exceed the 1 that are left.', {
          daily_limit: 150,
          retry_after_seconds: 60,
        });
      });
      expect((await dryRun(true).expect(429)).body).toMatchObject({ error_code: 'DAILY_LIMIT_REACHED', daily_limit: 150 });
      for (const value of ['true', 1, '1', {}])
        expect((await dryRun(value).expect(400)).body).toMatchObject({ details: [{ field: 'dry_run' }] });
      await call('post', 'broadcasts', { template_name: 'offer', dry_run: true }).expect(400);
      const malformed = await dryRun(true).set('idempotency-key', 'a b').expect(400);
      expect(malformed.body).toMatchObject({ details: [{ field: 'Idempotency-Key' }] });
      expect(requested).toEqual([]);
    });
  });

  it('decision 364: a broadcast is charged to its key, whose Idempotency-Keys are its own', async () => {
    const seen: RequestOf<typeof CreateBroadcast>[] = [];
    dashboard.neighbours.respond(CreateBroadcast, (creation) => {
      seen.push(creation);
      return { id: 7, replayed: seen.length === 2 };
    });
    const other = await dashboard.apiKey();
    const create = (token?: string) => call('post', 'broadcasts', BROADCAST, token).set('idempotency-key', 'k1').expect(200);
    expect((await create()).body).toEqual({ success: true, id: 7, message: 'Broadcast started.' });
    expect((await create()).headers).toMatchObject({ 'idempotency-replayed': 'true' });
    await create(other.token);
    expect(seen[0]).toMatchObject({ business_id: key.business_id, charged: { api_key_id: key.id, daily_limit: 150 }, plan: 'Growth' });
    const keys = seen.map(({ idempotency }) => idempotency?.key);
    expect([keys[1], keys[2] === keys[0]]).toEqual([keys[0], false]);
    const body = { daily_limit: 150, daily_used: 149, plan: 'Growth', retry_after: 'midnight' };
    dashboard.neighbours.respond(CreateBroadcast, () => {
      throw new GatewayError('DAILY_LIMIT_REACHED', '2 messages exceed the 1 that are left.', { ...body, retry_after_seconds: 60 });
    });
    const refused = await call('post', 'broadcasts', BROADCAST).expect(429);
    expect(refused.body).toMatchObject({ success: false, error_code: 'DAILY_LIMIT_REACHED', ...body });
    expect(refused.headers).toMatchObject({ 'retry-after': '60' });
  });

  it('decision 3: the refusal of a broadcast beyond the limit of the day has a Retry-After', async () => {
    const resets_at = new Date(Date.now() + 3_600_000).toISOString();
    dashboard.neighbours.respond(CreateBroadcast, () => {
      throw new GatewayError('BROADCAST_LIMIT_REACHED', 'Too many.', { limit: 1_000, used: 999, resets_at });
    });
    const { body, headers } = await call('post', 'broadcasts', BROADCAST).expect(429);
    expect(body).toEqual({ success: false, error: 'Too many.', error_code: 'BROADCAST_LIMIT_REACHED', limit: 1_000, used: 999, resets_at });
    const seconds = Number(headers['retry-after']);
    expect(seconds).toBeGreaterThan(3_500);
    expect(seconds).toBeLessThanOrEqual(3_600);
  });
});
