import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { dashboardUser, type DashboardUser } from './people';
import { startStack, type RunningStack } from './stack';

interface Broadcast {
  id: number;
  status: string;
  total_recipients: number;
  sent: number;
  failed: number;
  pending: number;
  failures: { reason: string; count: number }[];
}

describe('broadcasts (spec §10, §6.2)', () => {
  let stack: RunningStack;
  let owner: DashboardUser;
  let receiver: Receiver;

  beforeAll(async () => {
    stack = await startStack({ env: { BROADCAST_PER_SECOND: '100' } });
    owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    receiver = await startReceiver();
    await owner.call('POST', '/api/client/webhooks', { name: 'w', url: receiver.url, events: ['broadcast.completed', 'message.sent'] });
  }, 150_000);
  afterAll(async () => {
    await receiver?.close();
    await stack?.stop();
  });

  const show = async (id: number) => (await owner.call<Broadcast>('GET', `/api/client/broadcasts/${id}`)).body;
  const end = (id: number) =>
    eventually(
      async () => {
        const broadcast = await show(id);
        return broadcast.status === 'completed' && broadcast;
      },
      { timeoutMs: 150_000, everyMs: 500 },
    );
  const killAll = async () => {
    for (const { pid } of stack.processes('broadcast')) process.kill(pid, 'SIGKILL');
    await eventually(async () => (await owner.call('GET', '/api/client/broadcasts')).status === 200);
  };
  const create = (body: Record<string, unknown>) =>
    owner.call<{ id: number; details?: { field: string; message: string }[] }>('POST', '/api/client/broadcasts', {
      name: 'Autumn',
      template_name: 'order_update',
      ...body,
    });
  const events = (name: string) =>
    receiver.requests
      .map(({ body }) => JSON.parse(body) as { event: string; data: Record<string, unknown> })
      .filter(({ event }) => event === name);
  const platformCalls = async () => {
    const response = await fetch(`${stack.demo.simulator_url}/__sim/requests?limit=10000`);
    const { requests } = (await response.json()) as { requests: { method: string; path: string; body: { to?: string } }[] };
    return requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/messages')).map(({ body }) => body.to);
  };

  it('reports invalid rows by line and sends nothing', async () => {
    const csv = 'phone,name,order\r\n+1 201 555 0101,Asha,1\r\n12,Ben,2\r\n+1 201 555 0101,Cleo\r\n+1 201 555 0102,Doe, John,3\r\n';
    const checked = await owner.call<{ total: number; wrong: number; faults: object[] }>('POST', '/api/client/broadcasts/check', {
      template_name: 'order_update',
      csv,
    });
    expect(checked.body).toEqual({
      daily_limit: { limit: 1_000, used: 0, left: 1_000, resets_at: expect.any(String) as string },
      total: 4,
      wrong: 3,
      category: 'UTILITY',
      suppressed: 0,
      estimate: { cost: '0', currency: null, markets: [expect.objectContaining({ market: '1', count: 1, cost: null })], without_rate: 1 },
      faults: [
        { line: 3, field: 'phone', message: expect.stringContaining('7 to 15 digits') as string },
        { line: 4, field: 'phone', message: 'is the same as in line 2' },
        { line: 4, field: 'body_params', message: 'must not hold an empty value' },
        { line: 5, field: 'row', message: 'has 4 cells, and the heading 3' },
      ],
    });
    const refused = await create({ csv });
    expect([refused.status, refused.body.details?.[0]?.field]).toEqual([400, 'line 3: phone']);
    for (const wrong of [{}, { recipients: [], csv }, { csv: 'name\nx' }, { csv: 'phone\n"' }, { recipients: [{ phone: 1 }] }])
      expect([wrong, (await create(wrong)).status]).toEqual([wrong, 400]);
    expect((await create({ csv, template_name: 'nope' })).body).toMatchObject({ error_code: 'TEMPLATE_NOT_FOUND' });
    expect(await platformCalls()).toEqual([]);
  });

  it('finishes with correct counts and publishes broadcast.completed once', async () => {
    const phones = ['+12015550101', '+12015550130', '+12015550126', '+12015550143', '+12015550140', '+12015550100'];
    const recipients = phones.map((phone, i) => ({ phone, body_params: ['Asha', i] }));
    const { body } = await create({ recipients });
    const done = await eventually(
      async () => {
        const broadcast = await show(body.id);
        return broadcast.status === 'completed' && broadcast.failed === 2 && broadcast;
      },
      { timeoutMs: 30_000 },
    );
    expect(done).toMatchObject({ total_recipients: 6, sent: 4, failed: 2, pending: 0 });
    expect(done.failures.map(({ reason }) => reason).join()).toMatch(/131000/);
    const [completed] = await eventually(() => events('broadcast.completed').length > 0 && events('broadcast.completed'));
    expect(completed?.data).toMatchObject({
      broadcast_id: body.id,
      template_name: 'order_update',
      total_recipients: 6,
      business_id: stack.growth.id,
    });
    expect(Number(completed?.data['sent']) + Number(completed?.data['failed'])).toBe(6);
    await eventually(() => events('message.sent').filter(({ data }) => data['sent_by'] === 'broadcast').length === 5);
    expect(events('broadcast.completed')).toHaveLength(1);
  });

  it('sends to every recipient once despite repeated kills', async () => {
    const before = (await platformCalls()).length;
    const recipients = Array.from({ length: 400 }, (_, i) => ({ phone: `1202556${String(i).padStart(4, '0')}`, body_params: ['Asha', i] }));
    const { body } = await create({ recipients });
    for (const share of [0.2, 0.5]) {
      await eventually(async () => (await show(body.id)).sent > 400 * share);
      await killAll();
    }
    expect(await end(body.id)).toMatchObject({ total_recipients: 400, sent: 400, failed: 0 });
    const calls = (await platformCalls()).slice(before);
    expect([calls.length, new Set(calls).size]).toEqual([400, 400]);
    await eventually(() => events('broadcast.completed').some(({ data }) => data['broadcast_id'] === body.id));
    expect(events('broadcast.completed')).toHaveLength(2);
  }, 240_000);

  it('sends to every recipient once when paused, killed and resumed', async () => {
    const before = (await platformCalls()).length;
    const recipients = Array.from({ length: 500 }, (_, i) => ({ phone: `1202557${String(i).padStart(4, '0')}`, body_params: ['Asha', i] }));
    const { body } = await create({ recipients });
    await eventually(async () => (await show(body.id)).sent > 50);
    const paused = await owner.call('POST', `/api/client/broadcasts/${body.id}/pause`, {});
    expect([paused.status, paused.body]).toEqual([200, { message: 'Broadcast paused.' }]);
    await killAll();
    const meanwhile = await create({ recipients: [{ phone: '+12015550103', body_params: ['Asha', 1] }] });
    await end(meanwhile.body.id);
    const { status, pending } = await show(body.id);
    expect([status, pending > 0]).toEqual(['paused', true]);
    const resumed = await owner.call('POST', `/api/client/broadcasts/${body.id}/resume`, {});
    expect([resumed.status, resumed.body]).toEqual([200, { message: 'Broadcast resumed.' }]);
    expect(await end(body.id)).toMatchObject({ total_recipients: 500, sent: 500, failed: 0 });
    const calls = (await platformCalls()).slice(before);
    expect([calls.length, new Set(calls).size]).toEqual([501, 501]);
  }, 240_000);

  it('is cancelled once, and a scheduled broadcast waits', async () => {
    const recipients = [{ phone: '+12015550102', body_params: ['Asha', 1] }];
    const { body } = await create({ recipients, scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await show(body.id)).toMatchObject({ status: 'scheduled', pending: 1 });
    expect((await owner.call('POST', `/api/client/broadcasts/${body.id}/cancel`, {})).status).toBe(200);
    expect((await owner.call('POST', `/api/client/broadcasts/${body.id}/cancel`, {})).status).toBe(409);
    expect(await show(body.id)).toMatchObject({ status: 'cancelled' });
    const stranger = await dashboardUser(stack.demo.site_url, stack.starter.owner);
    expect((await stranger.call('GET', `/api/client/broadcasts/${body.id}`)).status).toBe(404);
    expect((await stranger.call('POST', `/api/client/broadcasts/${body.id}/cancel`, {})).status).toBe(404);
  });
});
