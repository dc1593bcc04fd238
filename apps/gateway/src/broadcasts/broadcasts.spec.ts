import {
  CheckBroadcast,
  CheckRetry,
  CreateBroadcast,
  EstimateCost,
  ListRecipients,
  RetryBroadcast,
  type BroadcastRow,
} from '@mgw/contracts';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';
import { DAILY_LIMIT } from '../../test/neighbours.fixture';
import type { Me } from '../login/login.responses';

const CHECK = '/api/client/broadcasts/check';

describe('the rows of a broadcast (spec §10)', () => {
  let dashboard: Dashboard;
  let owner: Session;
  let rows: BroadcastRow[];

  beforeAll(async () => {
    dashboard = await startDashboard();
    owner = await dashboard.session('owner', await dashboard.business());
  });
  afterAll(() => dashboard.close());
  beforeEach(() => {
    rows = [];
    dashboard.neighbours.respond(CheckBroadcast, ({ recipients }) => {
      rows = recipients;
      return { total: recipients.length, wrong: 0, faults: [], daily_limit: DAILY_LIMIT };
    });
  });

  const check = (csv: string) => owner.post(CHECK, { template_name: 'order_update', csv });
  const asha = { phone: '+1 201 555 0100', body_params: ['Asha', '1007'], header_params: [] };
  const ben = { phone: '+1 201 555 0101', body_params: ['Ben', '1008'], header_params: [] };

  it.each([
    ['\\n', '\n'],
    ['\\r\\n, as RFC 4180 and spreadsheets write it', '\r\n'],
    ['\\r', '\r'],
  ])('spec §10: reads a CSV file with line ends %s', async (_, end) => {
    await check(['phone,name,order', '+1 201 555 0100,Asha,1007', '+1 201 555 0101,Ben,1008', ''].join(end)).expect(200);
    expect(rows).toEqual([
      { line: 2, ...asha },
      { line: 3, ...ben },
    ]);
  });

  it('decision 9: refuses other control characters in a CSV file', async () => {
    const response = await check('phone,name\r\n+1 201 555 0100,A\u0000\r\n').expect(400);
    expect(response.body).toMatchObject({ error_code: 'VALIDATION_FAILED', details: [{ field: 'csv' }] });
  });

  it('spec §10: keeps every character of a large CSV file across parsing slices', async () => {
    const names = Array.from({ length: 9_000 }, (_, i) => '👋'.repeat(1 + (i % 7)));
    await check(`phone,name\n${names.map((name) => `+1 201 555 0100,${name}`).join('\n')}\n`).expect(200);
    expect((rows as { body_params: string[] }[]).map(({ body_params }) => body_params[0])).toEqual(names);
  });

  it('marks a row with too many cells or with a cell that is too long; other rows stay valid', async () => {
    const long = 'x'.repeat(1_025);
    await check(`phone,name,order\n+1 201 555 0100,Doe, John,1007\n+1 201 555 0101,Ben,1008\n+1 201 555 0102,${long},1009\n`).expect(200);
    expect(rows).toEqual([
      expect.objectContaining({ line: 2, fault: { field: 'row', message: 'has 4 cells, and the heading 3' } }),
      { line: 3, ...ben },
      expect.objectContaining({ line: 4, fault: { field: 'name', message: 'must have at most 1024 characters' } }),
    ]);
  });

  it('marks a phone number that is too long instead of truncating it', async () => {
    await check(`phone,name,order\n+1 201 555 0100${' '.repeat(130)}1,Asha,1007\n`).expect(200);
    expect(rows).toEqual([expect.objectContaining({ line: 2, fault: { field: 'phone', message: 'must have at most 140 characters' } })]);
  });

  it('decision 452: reads a download of recipients with the values that their messages had, without erased people', async () => {
    dashboard.neighbours.respond(ListRecipients, () => {
      const row = { message_id: null, delivery: null, replied_at: null, header_params: ['=1'] };
      const sent = {
        ...row,
        nth: 1,
        phone: '12015550100',
        state: 'sent' as const,
        reason: null,
        body_params: ['-20%', "'tis", "'=1", "''+1"],
        button_params: ['SAVE'],
      };
      const erased = { ...sent, nth: 2, phone: 'erased', body_params: [], header_params: [], button_params: [] };
      return { recipients: [erased, sent], next_cursor: null };
    });
    const { text } = await owner.get('/api/client/broadcasts/7/recipients?format=csv').expect(200);
    await check(text).expect(200);
    expect(rows).toEqual([
      { line: 3, phone: '12015550100', body_params: ['-20%', "'tis", "'=1", "''+1"], header_params: ['=1'], button_params: ['SAVE'] },
    ]);
  });

  it('spec §10: refuses more columns than a template can have', async () => {
    const names = Array.from({ length: 51 }, (_, i) => `v${i}`);
    const response = await check(`phone,${names.join()}\n+1 201 555 0100,${names.join()}\n`).expect(400);
    expect(response.body).toMatchObject({ error_code: 'VALIDATION_FAILED', details: [{ field: 'csv' }] });
  });

  it.each<[object, string]>([
    [{ recipients: [] }, 'recipients must have at least one recipient.'],
    [{ recipients: 'x' }, 'recipients must be a list of recipients.'],
    [{ csv: '' }, 'csv must not be empty'],
    [{}, 'recipients or csv must be given'],
    [{ recipients: [{ phone: '+1 201 555 0100' }], csv: 'phone' }, 'recipients and csv must not both be given'],
  ])('says what is wrong with the recipients %j', async (recipients, error) => {
    expect((await owner.post(CHECK, { template_name: 'order_update', ...recipients }).expect(400)).body).toMatchObject({ error });
  });

  it('spec §10: creating passes on the same rows', async () => {
    dashboard.neighbours.respond(CreateBroadcast, ({ recipients }) => {
      rows = recipients;
      return { id: 7 };
    });
    const csv = 'phone,name,order\r\n+1 201 555 0100,Asha,1007\r\n';
    await owner.post('/api/client/broadcasts', { name: 'Autumn', template_name: 'order_update', csv }).expect(200);
    expect(rows).toEqual([{ line: 2, ...asha }]);
  });

  it('decision 24: passes the Idempotency-Key with a fingerprint of the broadcast, and marks a replay', async () => {
    const requested: unknown[] = [];
    dashboard.neighbours.respond(CreateBroadcast, ({ idempotency }) => {
      requested.push(idempotency);
      return { id: 7, replayed: requested.length === 2 };
    });
    const create = (name: string) => {
      const csv = 'phone,name,order\r\n+1 201 555 0100,Asha,1007\r\n';
      return owner.post('/api/client/broadcasts', { name, template_name: 'order_update', csv }).set('idempotency-key', 'k1').expect(200);
    };
    const replays = [await create('Autumn'), await create('Autumn'), await create('Winter')].map(
      ({ headers }) => (headers as Record<string, string>)['idempotency-replayed'],
    );
    expect(replays).toEqual([undefined, 'true', undefined]);
    const first = { key: 'k1', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as string };
    expect(requested).toEqual([first, requested[0], first]);
    expect(requested[2]).not.toEqual(requested[0]);
    await owner.post('/api/client/broadcasts', {}).set('idempotency-key', 'no token').expect(400);
  });

  it('decision 452: streams the recipients that match as CSV, and a cell begins no formula', async () => {
    const requested: object[] = [];
    dashboard.neighbours.respond(ListRecipients, ({ cursor, state, phone, reason, values }) => {
      requested.push({ cursor, state, phone, reason, values });
      const row = { message_id: null, delivery: null, replied_at: null, header_params: [] };
      const first = { ...row, nth: 1, phone: '12015550100', state: 'sent' as const, reason: null, body_params: ['=HYPERLINK("x")', 'a,b'] };
      const second = { ...row, nth: 2, phone: '12015550101', state: 'failed' as const, reason: '@no', body_params: [] };
      return cursor === null ? { recipients: [first], next_cursor: 'c' } : { recipients: [second], next_cursor: null };
    });
    const path = '/api/client/broadcasts/7/recipients?format=csv&state=failed&reason=x';
    const response = await owner.get(`${path}&phone=${encodeURIComponent('+1 (201)')}`).expect(200);
    expect(response.headers).toMatchObject({ 'content-disposition': 'attachment; filename="broadcast-7.csv"' });
    expect(response.text.split('\r\n')).toEqual([
      'phone,body_1,body_2,state,delivery,replied_at,reason,message_id',
      `12015550100,"'=HYPERLINK(""x"")","a,b",sent,,,,`,
      "12015550101,,,failed,,,'@no,",
      '',
    ]);
    const filter = { state: 'failed', phone: '1201', reason: 'x', values: true };
    expect(requested).toEqual([
      { ...filter, cursor: null },
      { ...filter, cursor: 'c' },
    ]);
  });

  it('decision 452: names a column for each value that any recipient has, even if the first page has none', async () => {
    const row = { message_id: null, delivery: null, replied_at: null, state: 'sent' as const, reason: null };
    const recipients = [['a.pdf'], ['b.pdf', 'Bill']].map((header_params, i) => ({
      ...row,
      nth: i + 1,
      phone: `1201555010${i}`,
      body_params: ['Asha'],
      header_params,
    }));
    dashboard.neighbours.respond(ListRecipients, ({ cursor }) =>
      cursor === null
        ? { recipients: [], next_cursor: 'c', value_counts: { header_params: 2, body_params: 1, button_params: 0 } }
        : { recipients, next_cursor: null },
    );
    const { text } = await owner.get('/api/client/broadcasts/7/recipients?format=csv').expect(200);
    expect(text.split('\r\n')).toEqual([
      'phone,header_1,header_2,body_1,state,delivery,replied_at,reason,message_id',
      '12015550100,a.pdf,,Asha,sent,,,,',
      '12015550101,b.pdf,Bill,Asha,sent,,,,',
      '',
    ]);
  });

  it('decision 451: retries the failed recipients under the limits of the business', async () => {
    dashboard.neighbours.respond(RetryBroadcast, ({ id, plan, daily_limit }) => {
      expect({ id, plan, daily_limit }).toEqual({ id: 7, plan: 'Growth', daily_limit: 1_000 });
      return { id: 8, replayed: false };
    });
    const { body } = await owner.post('/api/client/broadcasts/7/retry', {}).expect(200);
    expect(body).toEqual({ id: 8, message: 'Broadcast started.' });
  });

  it('decision 621: shows whom a retry writes to, whom it leaves out, its estimated cost and the daily limit', async () => {
    const markets = [{ market: '1', count: 2 }];
    const audience = { category: 'MARKETING', suppressed: 3, markets };
    dashboard.neighbours.respond(CheckRetry, ({ id, daily_limit }) => {
      expect({ id, daily_limit }).toEqual({ id: 7, daily_limit: 1_000 });
      return { total: 2, daily_limit: DAILY_LIMIT, ...audience };
    });
    const priced = { market: '1', count: 2, price: '0.025', cost: '0.05' };
    dashboard.neighbours.respond(EstimateCost, ({ category, markets: estimated }) => {
      expect({ category, estimated }).toEqual({ category: 'marketing', estimated: markets });
      return { currency: 'USD', cost: '0.05', markets: [priced] };
    });
    const { body } = await owner.get('/api/client/broadcasts/7/retry').expect(200);
    expect(body).toEqual({
      ...{ total: 2, suppressed: 3, category: 'MARKETING', daily_limit: DAILY_LIMIT },
      estimate: { currency: 'USD', cost: '0.05', without_rate: 0, markets: [{ name: expect.any(String) as string, ...priced }] },
    });
    dashboard.neighbours.respond(CheckBroadcast, () => ({ total: 5, wrong: 0, faults: [], daily_limit: DAILY_LIMIT, ...audience }));
    const checked = await check('phone\n+1 201 555 0100\n').expect(200);
    expect(checked.body).toMatchObject({ suppressed: 3, estimate: { cost: '0.05' } });
    expect(checked.body).not.toHaveProperty('markets');
  });

  it.each([
    ['Starter', 0],
    ['Growth', 1_000],
    ['Pro', 20_000],
  ] as const)('decision 55: the limit of %s is %i recipients a day, or what the operator set', async (plan, limit) => {
    const business_id = await dashboard.business({ plan, timezone: 'UTC' });
    const someone = await dashboard.session('owner', business_id);
    const limits: unknown[] = [];
    dashboard.neighbours.respond(CheckBroadcast, ({ daily_limit, timezone }) => {
      limits.push([daily_limit, timezone]);
      return { total: 1, wrong: 0, faults: [], daily_limit: DAILY_LIMIT };
    });
    const request = { template_name: 'order_update', csv: 'phone\n+1 201 555 0100\n' };
    const shown = async () => ((await someone.get('/api/client/me').expect(200)).body as Me).business?.broadcast_daily_limit;
    expect(await shown()).toBe(limit);
    await someone.post(CHECK, request).expect(200);
    const operator = await dashboard.session('operator', null);
    await operator.patch(`/api/admin/businesses/${business_id}`, { broadcast_daily_limit: 7 }).expect(200);
    const { body } = await someone.post(CHECK, request).expect(200);
    expect(await shown()).toBe(7);
    expect(limits).toEqual([
      [limit, 'UTC'],
      [7, 'UTC'],
    ]);
    expect(body).toMatchObject({ daily_limit: DAILY_LIMIT });
  });
});
