import {
  ConnectionChanged,
  FindTemplates,
  GetConnection,
  ListApprovedTemplates,
  ListConnections,
  ListTemplates,
  PlatformAccountUpdate,
  PlatformTemplateUpdate,
  ReportConnectionProblem,
  SetConnection,
  SyncTemplates,
  TemplatesChanged,
  type GatewayError,
  type ReplyOf,
} from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import { startHarness, type Harness } from '@mgw/harness';
import type { RunningService } from '@mgw/service';
import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { service } from './main';

const body = (text: string) => ({ type: 'BODY', text });
const approved = (name: string, components: object[], rest: object = {}) => ({
  id: `9${name.length}`,
  name,
  language: 'en',
  status: 'APPROVED',
  category: 'UTILITY',
  components,
  ...rest,
});

describe('connections and templates (platform §3)', () => {
  let harness: Harness;
  let graph: Receiver;
  let templates: { name: string }[];
  let number: object;
  let refusal: { status: number; code: number } | null;
  /** Holds the next response to a path with this part until the test calls `sendHeld`. */
  let heldPath: string | null;
  let sendHeld: (() => void) | null;
  let replicas: RunningService[];

  beforeEach(async () => {
    harness = await startHarness(service);
    graph = await startReceiver();
    harness.onClose(() => graph.close());
    harness.env['META_GRAPH_BASE_URL'] = graph.url;
    templates = [approved('order', [body('Hello {{1}}, order {{2}}')])];
    number = { id: '7', status: 'CONNECTED' };
    refusal = null;
    heldPath = null;
    sendHeld = null;
    graph.respond(({ path }, response) => {
      const send = (status: number, content: object) => {
        const respond = () => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
        if (heldPath === null || !path.includes(heldPath)) return respond();
        heldPath = null;
        sendHeld = respond;
      };
      if (refusal) return send(refusal.status, { error: { code: refusal.code, message: 'no' } });
      const after = Number(new URL(path, graph.url).searchParams.get('after') ?? 0);
      const more = after + 2 < templates.length;
      const paging = { cursors: { after: String(after + 2) }, ...(more && { next: 'more' }) };
      const content = path.includes('message_templates') ? { data: templates.slice(after, after + 2), paging } : number;
      send(200, content);
    });
    replicas = [await harness.run(service), await harness.run(service)];
  });
  afterEach(() => harness.close());

  const connect = (business_id = 1, change: object = {}) => {
    const seal = (what: string) => harness.sealer.seal(`${what} ${business_id}`, `connection.${what}:${business_id}`);
    return harness.rpc.call(SetConnection, {
      business_id,
      phone_number_id: `70${business_id}`,
      business_account_id: `80${business_id}`,
      access_token_sealed: seal('access_token'),
      app_secret_sealed: seal('app_secret'),
      verify_token_sealed: seal('verify_token'),
      ...change,
    });
  };
  const connection = async () => (await harness.rpc.call(GetConnection, { business_id: 1 })).connection;
  const synced = (state = 'done') =>
    eventually(async () => {
      const all = await harness.rpc.call(ListTemplates, { business_id: 1 });
      return all.sync.state === state && all;
    });
  const codeOf = (promise: Promise<unknown>) => promise.then(String, (error: GatewayError) => error.error_code);

  it('guarantees §9: does not start without the key that sealed its secrets', async () => {
    await connect();
    const SEALING_KEYS = `other:${Buffer.alloc(32).toString('base64')}`;
    await expect(harness.run(service, { SEALING_KEYS })).rejects.toThrow('SEALING_KEYS');
    await harness.run(service);
  });

  it('probes a connection and syncs its templates in the background, on one replica, with the unsealed token', async () => {
    const changed: number[] = [];
    harness.rpc.listen(TemplatesChanged, ({ business_id }) => void changed.push(business_id));
    await harness.nc.flush();
    expect((await connect()).connection).toMatchObject({ status: 'unchecked', checked_at: null });
    await eventually(async () => (await connection())?.status === 'connected');
    await synced();
    await eventually(() => changed.length === 1);
    expect(graph.requests.map(({ headers }) => headers.authorization)).toEqual(graph.requests.map(() => 'Bearer access_token 1'));
    expect(graph.requests).toHaveLength(2);
  });

  it('needs every secret at first, keeps omitted ones later, and keeps the previous app secret for a day', async () => {
    expect(await codeOf(connect(1, { app_secret_sealed: undefined }))).toBe('VALIDATION_FAILED');
    const first = (await connect()).connection;
    const second = (await connect(1, { access_token_sealed: undefined, app_secret_sealed: 'new' })).connection;
    expect(second).toMatchObject({
      access_token_sealed: first.access_token_sealed,
      app_secret_sealed: 'new',
      previous_app_secret_sealed: first.app_secret_sealed,
    });
    await harness.db.query(`UPDATE template.connections SET app_secret_changed_at = now() - interval '25 hours'`);
    expect((await connection())?.previous_app_secret_sealed).toBeNull();
  });

  it('decision 255: lets several businesses claim a number, and lists all connections in pages', async () => {
    await connect(1);
    await connect(2);
    expect((await connect(3, { phone_number_id: '701' })).connection).toMatchObject({ phone_number_id: '701', status: 'unchecked' });
    const page = async (after_business_id: number) =>
      (await harness.rpc.call(ListConnections, { after_business_id })).connections.map(({ business_id }) => business_id);
    expect([await page(0), await page(1), await page(3)]).toEqual([[1, 2, 3], [2, 3], []]);
  });

  it('decision 255: lists when the platform first accepted the token for a number, until the number or a refused token changes', async () => {
    const verifiedAt = async () => (await harness.rpc.call(ListConnections, { after_business_id: 0 })).connections[0]?.number_verified_at;
    const statusIs = (status: string) => eventually(async () => (await connection())?.status === status);
    refusal = { status: 401, code: 190 };
    await connect();
    await statusIs('problem');
    expect(await verifiedAt()).toBeNull();
    refusal = null;
    await connect();
    await statusIs('connected');
    const first = await verifiedAt();
    expect(first).toEqual(expect.any(String));

    await connect(1, { verify_token_sealed: 'new' });
    expect(await verifiedAt()).toBe(first);
    await statusIs('connected');
    refusal = { status: 401, code: 190 };
    await connect();
    await statusIs('problem');
    expect(await verifiedAt()).toBe(first);
    await connect();
    expect(await verifiedAt()).toBeNull();
    refusal = null;
    await connect();
    await statusIs('connected');
    refusal = { status: 401, code: 190 };
    await connect(1, { phone_number_id: '799' });
    expect(await verifiedAt()).toBeNull();
  });

  it('platform §3.3: a refused token, a bad status or a reported problem disconnects and is announced', async () => {
    const announced: number[] = [];
    harness.rpc.listen(ConnectionChanged, ({ business_id }) => void announced.push(business_id));
    await harness.nc.flush();
    refusal = { status: 401, code: 190 };
    await connect();
    await eventually(async () => (await connection())?.status === 'problem');
    expect((await connection())?.problem).toContain('190');
    await synced('failed');
    [refusal, number] = [null, { id: '7', status: 'BANNED' }];
    await connect();
    await eventually(async () => (await connection())?.problem === 'The number is BANNED.');
    number = { id: '7', status: 'CONNECTED' };
    await connect();
    await eventually(async () => (await connection())?.status === 'connected');
    await harness.rpc.call(ReportConnectionProblem, { business_id: 1, platform_code: 190, problem: 'expired' });
    expect(await connection()).toMatchObject({ status: 'problem', problem: '190: expired' });
    await eventually(() => announced.length >= 6);
  });

  const sent = async () => (await eventually(() => sendHeld))();

  it('platform §3.3: drops a probe’s result if the connection changed meanwhile', async () => {
    refusal = { status: 401, code: 190 };
    heldPath = '/701?';
    await connect();
    await eventually(() => sendHeld);
    refusal = null;
    await connect(1, { phone_number_id: '702' });
    await eventually(async () => (await connection())?.status === 'connected');
    await sent();
    // Stopping waits for running probes.
    await Promise.all(replicas.map((replica) => replica.stop()));
    expect(await harness.db.query('SELECT status, problem FROM template.connections')).toEqual([{ status: 'connected', problem: null }]);
  });

  it('platform §3.3, §4.6: drops the result of a probe that started before a ban', async () => {
    heldPath = '/701?';
    await connect();
    await eventually(() => sendHeld);
    const data = { business_account_id: '801', event: 'DISABLED_UPDATE', raw: { ban_info: { waba_ban_state: 'DISABLE' } } };
    await harness.tell(newEvent(PlatformAccountUpdate, { id: 'b1', at: new Date().toISOString(), business_id: 1, key: 'a', data }));
    await eventually(async () => (await connection())?.status === 'problem');
    await sent();
    await Promise.all(replicas.map((replica) => replica.stop()));
    expect(await harness.db.query('SELECT status FROM template.connections')).toEqual([{ status: 'problem' }]);
  });

  it('platform §4.6: keeps a status update over a concurrent sync, until the next sync', async () => {
    const named = [{ business_id: 1, name: 'order', language: 'en' }];
    const found = async () => (await harness.rpc.call(FindTemplates, { names: named })).found[0]?.template;
    await connect();
    await synced();
    heldPath = 'message_templates';
    await harness.rpc.call(SyncTemplates, { business_id: 1 });
    await eventually(() => sendHeld);
    const raw = { event: 'PAUSED', message_template_name: 'order', message_template_language: 'en' };
    const data = { business_account_id: '801', field: 'message_template_status_update', raw };
    await harness.tell(newEvent(PlatformTemplateUpdate, { id: 't1', at: new Date().toISOString(), business_id: 1, key: 't', data }));
    await eventually(async () => (await found()) === null);
    await sent();
    await synced();
    expect(await found()).toBeNull();
    await harness.rpc.call(SyncTemplates, { business_id: 1 });
    await eventually(found);
  });

  it('platform §3.2, spec §2.4: maps every field, lists approved templates only, and keeps ids', async () => {
    templates = [
      approved('order_update', [
        { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
        body('Hello {{1}}, {{2}}'),
        { type: 'FOOTER', text: 'Bye' },
      ]),
      approved('named', [body('Hi {{first_name}} of {{shop}}, {{first_name}}')], { parameter_format: 'NAMED', category: 'MARKETING' }),
      approved('waiting', [body('x')], { status: 'PENDING' }),
      approved('login', [body('{{1}} is it'), { type: 'BUTTONS', buttons: [{ type: 'URL', url: 'https://x/{{1}}' }] }], {
        category: 'AUTHENTICATION',
      }),
      approved('track', [body('Hi'), { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY' }, { type: 'URL', url: 'https://x/{{1}}' }] }]),
    ];
    await connect();
    const all = await synced();
    expect(all.templates).toHaveLength(5);
    const { templates: listed } = await harness.rpc.call(ListApprovedTemplates, { business_id: 1 });
    expect(listed.map(({ name }) => name)).toEqual(['login', 'named', 'order_update', 'track']);
    expect(listed[2]).toEqual({
      id: expect.any(Number) as number,
      name: 'order_update',
      display_name: 'Order update',
      content: 'Hello {{1}}, {{2}}',
      category: 'UTILITY',
      language: 'en',
      header_type: 'TEXT',
      header_text: 'Order {{1}}',
      footer_text: 'Bye',
      variables: ['1', '2'],
    });
    expect(listed[1]).toMatchObject({ content: 'Hi {{1}} of {{2}}, {{1}}', variables: ['first_name', 'shop'], header_type: null });
    const shapes = async (...wanted: [name: string, language: string][]) => {
      const names = wanted.map(([name, language]) => ({ business_id: 1, name, language }));
      return (await harness.rpc.call(FindTemplates, { names })).found;
    };
    const shape = async (name: string, language = 'en') => (await shapes([name, language]))[0];
    expect((await shape('login'))?.template?.button_parameters).toEqual([{ index: 0, takes: 'otp' }]);
    expect((await shape('track'))?.template?.button_parameters).toEqual([{ index: 1, takes: 'link' }]);
    expect(await shape('waiting')).toEqual({ template: null, available_languages: [] });
    expect(await shape('login', 'fr')).toEqual({ template: null, available_languages: ['en'] });
    expect(
      (await shapes(['track', 'en'], ['waiting', 'en'], ['login', 'fr'], ['login', 'en'])).map(({ template }) => template?.name),
    ).toEqual(['track', undefined, undefined, 'login']);
    templates = templates.slice(0, 1);
    await harness.rpc.call(SyncTemplates, { business_id: 1 });
    await eventually(async () => (await harness.rpc.call(ListTemplates, { business_id: 1 })).templates.length === 1);
    expect((await harness.rpc.call(ListApprovedTemplates, { business_id: 1 })).templates[0]?.id).toBe(listed[2]?.id);
  });

  const secondsIn = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;
  const restrict = (restriction_info: ({ restriction_type: string; expiration?: number } | null)[]) => {
    const data = { business_account_id: '801', event: 'ACCOUNT_RESTRICTION', raw: { restriction_info } };
    return harness.tell(newEvent(PlatformAccountUpdate, { id: 'a1', at: new Date().toISOString(), business_id: 1, key: 'a', data }));
  };

  it('platform §4.6: ends each restriction at its own time, and never one without an end', async () => {
    await connect();
    await restrict([
      null,
      { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING' },
      { restriction_type: 'RESTRICTED_ADD_PHONE_NUMBER_ACTION', expiration: secondsIn(-60) },
    ]);
    const restriction = await eventually(async () => (await connection())?.restriction);
    expect(restriction).toEqual({ kinds: ['RESTRICTED_BIZ_INITIATED_MESSAGING'], until: null });
  });

  it('platform §4.6: shows active restrictions with the end of the last one', async () => {
    await connect();
    const later = secondsIn(7_200);
    await restrict([
      { restriction_type: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING', expiration: secondsIn(3_600) },
      { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: later },
      { restriction_type: 'RESTRICTED_ADD_PHONE_NUMBER_ACTION', expiration: secondsIn(-60) },
    ]);
    const restriction = await eventually(async () => (await connection())?.restriction);
    expect(restriction.until).toBe(new Date(later * 1_000).toISOString());
    expect(restriction.kinds.toSorted()).toEqual(['RESTRICTED_BIZ_INITIATED_MESSAGING', 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING']);
  });

  it('platform §4.6, decision 19: keeps a restriction with a new number, and drops it with another account', async () => {
    await connect();
    await restrict([{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING' }]);
    const restriction = await eventually(async () => (await connection())?.restriction);
    expect((await connect(1, { phone_number_id: '702' })).connection.restriction).toEqual(restriction);
    expect((await connect(1, { business_account_id: '802' })).connection.restriction).toBeNull();
    expect((await connection())?.restriction).toBeNull();
  });

  it('spec §4.2, platform §3.1: lists thousands of large templates in pages, each once, during a sync', async () => {
    const large = [body('ಕ'.repeat(943))];
    const named = (i: number) => approved(`order_${String(i).padStart(4, '0')}`, large);
    await connect();
    await synced();
    await harness.db.query('DELETE FROM template.templates');
    await harness.db.query(
      `INSERT INTO template.templates (business_id, name, language, platform_id, status, category, named, components)
       SELECT 1, t->>'name', language, t->>'id', 'APPROVED', 'UTILITY', false, t->'components'
       FROM unnest($1::jsonb[]) AS t, unnest('{en,hi}'::text[]) AS language`,
      [Array.from({ length: 3_000 }, (_, i) => JSON.stringify(named(i)))],
    );
    const read = async (operation: typeof ListTemplates | typeof ListApprovedTemplates, between = async () => undefined as unknown) => {
      const names: string[] = [];
      let cursor: string | null = null;
      do {
        const page: ReplyOf<typeof ListApprovedTemplates> = await harness.rpc.call(operation, { business_id: 1, limit: 100, cursor });
        expect(page.templates.length).toBeLessThanOrEqual(100);
        names.push(...page.templates.map(({ name, language }) => `${name} ${language}`));
        cursor = page.next_cursor ?? null;
        await between();
      } while (cursor !== null);
      return names;
    };
    const all = await read(ListApprovedTemplates);
    expect(all).toEqual(Array.from({ length: 6_000 }, (_, i) => `order_${String(i >> 1).padStart(4, '0')} ${i % 2 ? 'hi' : 'en'}`));
    expect(await read(ListTemplates)).toEqual(all);
    // Unchanged templates are listed once, while others are added and deleted.
    let n = 0;
    const changing = await read(ListApprovedTemplates, async () => {
      await harness.db.query(`DELETE FROM template.templates WHERE name = 'order_0000'`);
      await harness.db.query(
        `INSERT INTO template.templates (business_id, name, language, platform_id, status, category, named, components)
         VALUES (1, $1, 'en', '1', 'APPROVED', 'UTILITY', false, '[]')`,
        [`a_${(n += 1)}`],
      );
    });
    expect(changing).toEqual(all);
    expect((await codeOf(harness.rpc.call(ListTemplates, { business_id: 1, limit: 1, cursor: 'x' }))).toString()).toBe('VALIDATION_FAILED');
  });

  it('platform §4.6: syncs after a template update of the platform', async () => {
    await connect();
    await synced();
    templates = [approved('new_one', [body('Hi')])];
    const data = { business_account_id: '801', field: 'message_template_status_update', raw: {} };
    await harness.tell(newEvent(PlatformTemplateUpdate, { id: 't1', at: new Date().toISOString(), business_id: 1, key: 't', data }));
    const names = [{ business_id: 1, name: 'new_one', language: 'en' }];
    await eventually(async () => (await harness.rpc.call(FindTemplates, { names })).found[0]?.template);
  });

  it('platform §1: makes at most 100 calls an hour, shows when a requested sync starts, and starts it then', async () => {
    templates = Array.from({ length: 200 }, (_, i) => approved(`order_${i}`, [body('Hi')]));
    await connect();
    expect((await synced()).sync.found).toBe(200);
    const calls = () => graph.requests.filter(({ path }) => path.includes('message_templates')).length;
    expect(calls()).toBe(100);
    await harness.rpc.call(SyncTemplates, { business_id: 1 });
    expect((await synced('failed')).sync.problem).toMatch(/^The hourly limit of template syncs is reached\. .* starts at \d\d:\d\d UTC\.$/);
    // Another business has its own limit. When its sync has finished, the services have looked for due syncs again.
    templates = templates.slice(0, 1);
    await connect(2);
    await eventually(async () => (await harness.rpc.call(ListTemplates, { business_id: 2 })).sync.state === 'done');
    expect(calls()).toBe(101);
    await harness.db.query(`UPDATE template.syncs SET hour_started_at = now() - interval '61 minutes' WHERE business_id = 1`);
    await eventually(() => calls() === 102);
    expect((await synced()).sync).toMatchObject({ found: 1, problem: null });
  });
});
