import type { AddressInfo } from 'node:net';
import { eventually } from '@mgw/testing';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';

describe('the live tail and the session that watches it (product §2)', () => {
  let dashboard: Dashboard;
  let owner: Session;

  beforeAll(async () => {
    dashboard = await startDashboard();
    dashboard.visitor.server.listen(0, '127.0.0.1');
  });
  afterAll(() => dashboard.close());
  beforeEach(async () => {
    owner = await dashboard.session('owner', await dashboard.business());
  });
  afterEach(() => jest.restoreAllMocks());

  const lastUsed = async () => {
    const [row] = await dashboard.db.query<{ at: string }>(`SELECT last_used_at::text AS at FROM access.sessions WHERE user_id = $1`, [
      owner.id,
    ]);
    return row?.at;
  };
  const idleFor = (hours: number) =>
    dashboard.db.query(`UPDATE access.sessions SET last_used_at = now() - make_interval(hours => $2) WHERE user_id = $1`, [
      owner.id,
      hours,
    ]);

  /** A tab that nobody looks at. @returns what it has read, whether it has ended, and its next heartbeat brought forward */
  async function watch() {
    const intervals = jest.spyOn(global, 'setInterval');
    const { port } = dashboard.visitor.server.address() as AddressInfo;
    const leaving = new AbortController();
    const headers = { cookie: `token=${owner.token}` };
    const response = await fetch(`http://127.0.0.1:${port}/api/client/events/stream`, { headers, signal: leaving.signal });
    const seen = { status: response.status, text: '', ended: false };
    const read = async () => {
      for await (const bytes of response.body ?? []) seen.text += Buffer.from(bytes as Uint8Array).toString();
      seen.ended = true;
    };
    read().catch(() => undefined);
    const beat = () => intervals.mock.calls.filter(([, ms]) => ms === 15_000).forEach(([callback]) => (callback as () => void)());
    return { seen, beat, leave: () => leaving.abort() };
  }

  it('idle 12 h: neither opening it nor its heartbeat is use of the session', async () => {
    await idleFor(11);
    const before = await lastUsed();
    const { seen, beat, leave } = await watch();
    beat();
    await eventually(() => seen.text.includes('still here'));
    expect([seen.status, await lastUsed()]).toEqual([200, before]);
    leave();
  });

  it('idle 12 h: it ends with the session', async () => {
    const { seen, beat } = await watch();
    await idleFor(12);
    beat();
    await eventually(() => seen.ended);
    await owner.get('/api/client/me').expect(401);
  });
});
