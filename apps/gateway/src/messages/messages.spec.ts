import { parse } from 'csv-parse/sync';
import { CountMessages, FindDeliveries, GetTimeline, ListMessages, type LoggedMessage, type RequestOf } from '@mgw/contracts';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';

const DAY_MS = 86_400_000;
const NOTHING = { sent: 0, delivered: 0, read: 0, failed: 0, refused: 0 };
const MESSAGE: LoggedMessage = {
  message_id: 'wamid.A',
  to: '12015550100',
  type: 'text',
  template: null,
  text: 'Hi',
  sent_by: 'api',
  api_key_id: 1,
  api_status: 'success',
  delivery_status: 'sent',
  failure_reason: null,
  sent_at: '2026-01-02T03:04:05.000Z',
};

describe('the message log and its counts (spec §10, decision 440)', () => {
  let dashboard: Dashboard;
  let owner: Session;
  let listed: RequestOf<typeof ListMessages>[] = [];
  let counted: RequestOf<typeof CountMessages>[] = [];

  beforeAll(async () => {
    dashboard = await startDashboard();
    // Half an hour off UTC's days, and no summer time.
    owner = await dashboard.session('owner', await dashboard.business({ timezone: 'Asia/Kolkata' }));
  });
  beforeEach(() => {
    [listed, counted] = [[], []];
    dashboard.neighbours.respond(ListMessages, (request) => {
      listed.push(request);
      return { messages: [MESSAGE], next_cursor: null, cursors: [] };
    });
    dashboard.neighbours.respond(CountMessages, (request) => {
      counted.push(request);
      return { bars: [], previous: NOTHING, failures: [] };
    });
  });
  afterAll(() => dashboard.close());

  const midnight = (day: string) => new Date(`${day}T00:00:00+05:30`).toISOString();
  const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' }).format(new Date());

  it.each([
    ['24h', 60, 1],
    ['7d', 60, 7],
    ['30d', 1_440, 30],
  ])('counts %s in bars of %s minutes, days from midnight of the business’s zone, with the days before', async (period, minutes, days) => {
    const { body } = await owner.get(`/api/client/messages/counts?period=${period}&sent_by=api&failure_code=131026`).expect(200);
    const { from, to, previous, bar_minutes, ...request } = counted[0] as (typeof counted)[number];
    expect(request).toMatchObject({ timezone: 'Asia/Kolkata', sent_by: 'api', failure_code: '131026' });
    expect(bar_minutes).toBe(minutes);
    if (period !== '24h') expect(from).toBe(new Date(Date.parse(midnight(today())) - (days - 1) * DAY_MS).toISOString());
    else expect((Date.parse(from) + 30 * 60_000) % 3_600_000).toBe(0);
    for (const bound of ['from', 'to'] as const)
      expect(Date.parse({ from, to }[bound]) - Date.parse(previous?.[bound] ?? '')).toBe(days * DAY_MS);
    expect(body).toMatchObject({ from, to, timezone: 'Asia/Kolkata', previous: NOTHING });
  });

  it('lists and counts the same messages of chosen days', async () => {
    const chosen = 'from=2026-03-01&to=2026-03-02&template=order_update&type=template&api_key_id=7';
    await owner.get(`/api/client/messages?${chosen}`).expect(200);
    await owner.get(`/api/client/messages/counts?${chosen}`).expect(200);
    const filter = { template: 'order_update', type: 'template', api_key_id: 7 };
    expect(listed[0]).toMatchObject({ ...filter, from: midnight('2026-03-01'), to: '2026-03-02T18:29:59.999Z' });
    expect(counted[0]).toMatchObject({ ...filter, from: midnight('2026-03-01'), to: midnight('2026-03-03'), previous: null });
  });

  it.each([
    ['2027-01-31T00:00:00+20:00', '2027-01-30T04:00:00.000Z'],
    ['2027-01-31T00:00:00.1234567890123456789Z', '2027-01-31T00:00:00.123Z'],
  ])('takes the time %s, which PostgreSQL does not read', async (from, instant) => {
    await owner.get(`/api/client/messages?from=${encodeURIComponent(from)}`).expect(200);
    expect(listed.at(-1)).toMatchObject({ from: instant });
  });

  it.each([
    ['+91 98765 43210', { phone: '919876543210' }],
    ['98765 43210', { phone: '919876543210' }],
    ['+1 201 555 0100', { phone: '12015550100' }],
    ['3210', { phone: null, phone_part: '3210' }],
    ['+91 987', { phone: null, phone_part: '91987' }],
    ['76543-21', { phone: null, phone_part: '7654321' }],
    ['+91 98765 4321', { phone: null, phone_part: '91987654321' }],
    ['0198765', { phone: null, phone_part: '0198765' }],
    ['+91 98765 43219', { phone: '919876543219' }],
    ['IN.7300048815526109342', { phone: 'IN.7300048815526109342' }],
    ['Asha', { phone: 'Asha' }],
  ])('decision 601: finds %s as a number or as part of one', async (typed, filter) => {
    const known = ['919876543210', '12015550100'];
    dashboard.neighbours.respond(ListMessages, (request) => {
      listed.push(request);
      const isFound = typeof request.phone_part === 'string' || known.includes(request.phone ?? '');
      return { messages: isFound ? [MESSAGE] : [], next_cursor: null, cursors: [] };
    });
    await owner.get(`/api/client/messages?phone=${encodeURIComponent(typed)}`).expect(200);
    const last = listed.at(-1) as object;
    expect(last).toMatchObject(filter);
    expect('phone_part' in last).toBe('phone_part' in filter);
  });

  it('decision 52: finds a number whose + is not encoded, never the Indian number of these digits', async () => {
    dashboard.neighbours.respond(ListMessages, (request) => {
      listed.push(request);
      return { messages: [MESSAGE], next_cursor: null, cursors: [] };
    });
    await owner.get('/api/client/messages?phone=+65+8134-0984').expect(200);
    expect(listed.at(-1)).toMatchObject({ phone: '6581340984' });
  });

  it('decision 23a: filters by an unclear outcome', async () => {
    await owner.get('/api/client/messages/counts?failure_code=OUTCOME_UNKNOWN').expect(200);
    expect(counted.at(-1)).toMatchObject({ failure_code: 'OUTCOME_UNKNOWN' });
  });

  it.each([
    ['messages?period=1y', 'period must be'],
    ['messages?from=yesterday', 'from must be a day'],
    ['messages?sent_by=me', 'sent_by must be'],
    ['messages/counts?failure_code=x', 'failure_code must be'],
    ['messages/counts?limit=1', 'limit is not known'],
    ['messages/counts?from=9999-12-30&to=9999-12-31', 'from must be before the year 9999'],
    ['messages?to=9999-12-31', 'to must be before the year 9999'],
    ['messages/counts?from=2026-03-02&to=2026-03-01', 'from must not be after to'],
    ['messages/counts?from=2024-03-02&to=2026-03-01', 'from must be at most 366 days'],
  ])('refuses %s', async (path, error) => {
    const { body } = await owner.get(`/api/client/${path}`).expect(400);
    expect((body as { error: string }).error).toContain(error);
  });

  it('decision 442: shows the deliveries of every event of a message', async () => {
    const asked: string[][] = [];
    dashboard.neighbours.respond(GetTimeline, () => ({ message: MESSAGE, timeline: [] }));
    dashboard.neighbours.respond(FindDeliveries, ({ event_ids }) => {
      asked.push(event_ids);
      return { deliveries: [] };
    });
    await owner.get('/api/client/messages/wamid.A').expect(200);
    expect(asked).toEqual([
      ['message.sent:wamid.A', 'message.status:wamid.A:delivered', 'message.status:wamid.A:read', 'message.status:wamid.A:failed'],
    ]);
  });

  it('decision 441: streams every page as CSV, and no cell is a formula', async () => {
    dashboard.neighbours.respond(ListMessages, (request) => {
      listed.push(request);
      const text = ['=HYPERLINK("http://x")', 'two\nlines', '+1'][listed.length - 1] as string;
      const message = { ...MESSAGE, message_id: `wamid.${listed.length}`, text };
      // A filter with few matches gives pages without any.
      return { messages: listed.length === 2 ? [] : [message], next_cursor: listed.length < 3 ? `${listed.length}` : null, cursors: [] };
    });
    const response = await owner.get('/api/client/messages?format=csv&status=read').expect(200);
    expect(response.headers['content-disposition']).toBe('attachment; filename="messages.csv"');
    expect(listed.map(({ cursor, limit, status }) => [cursor, limit, status])).toEqual([
      [null, 100, 'read'],
      ['1', 100, 'read'],
      ['2', 100, 'read'],
    ]);
    const rows = parse<Record<string, string>>(response.text, { columns: true });
    expect(rows.map(({ message_id, text }) => [message_id, text])).toEqual([
      ['wamid.1', `'=HYPERLINK("http://x")`],
      ['wamid.3', `'+1`],
    ]);
  });
});
