import { eventually } from '@mgw/testing';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';

const TEAM = '/api/client/team';

describe('the team of a business (experience.md, Settings)', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.close());

  const waiting = async (count: number) => {
    const rows = await dashboard.db.query(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    return rows.length === count;
  };

  it('an owner removes a person, whose session ends at once', async () => {
    const business_id = await dashboard.business();
    const owner = await dashboard.session('owner', business_id);
    const member = await dashboard.session('member', business_id);
    await owner.delete(`${TEAM}/${member.id}`).expect(200);
    await member.get('/api/client/me').expect(401);
    await owner.delete(`${TEAM}/${member.id}`).expect(404);
    await owner.delete(`${TEAM}/${owner.id}`).expect(409);
  });

  it('two owners who remove each other at once leave one of them', async () => {
    const business_id = await dashboard.business();
    const owners = [await dashboard.session('owner', business_id), await dashboard.session('owner', business_id)] as const;
    const remove = (by: 0 | 1) => owners[by].delete(`${TEAM}/${owners[1 - by]?.id}`).then(({ status }) => status);
    // Neither gets any further than the other before both are under way.
    const answers = await dashboard.db.transaction(async (tx) => {
      await tx.query('SELECT 1 FROM access.users WHERE business_id = $1 FOR UPDATE', [business_id]);
      const both = [remove(0), remove(1)];
      await eventually(() => waiting(2));
      return both;
    });
    expect((await Promise.all(answers)).sort()).toEqual([200, 401]);
    const left = await dashboard.db.query(`SELECT id FROM access.users WHERE business_id = $1 AND role = 'owner'`, [business_id]);
    expect(left).toHaveLength(1);
  });

  it.each(['2147483648', '9007199254740991', '0', 'x', '%00'])('guarantees §9: %s is nobody: 404', async (id) => {
    const owner = await dashboard.session('owner', await dashboard.business());
    await owner.delete(`${TEAM}/${id}`).expect(404);
  });
});
