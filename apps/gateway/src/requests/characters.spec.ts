import { CheckBroadcast, SetSendSettings, SetSuppression } from '@mgw/contracts';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';
import { DAILY_LIMIT } from '../../test/neighbours.fixture';

/** One emoji in three code units: a surrogate pair and a variation selector. */
const BAGS = '\u{1f6cd}\ufe0f';

describe('texts of the dashboard in emoji (decisions 2 and 15, spec §10)', () => {
  let dashboard: Dashboard;
  let owner: Session;
  let requested: unknown[];

  beforeAll(async () => {
    dashboard = await startDashboard();
    owner = await dashboard.session('owner', await dashboard.business());
  });
  beforeEach(() => {
    requested = [];
    const response =
      <R>(reply: R) =>
      (request: unknown) => {
        requested.push(request);
        return reply;
      };
    dashboard.neighbours.respond(CheckBroadcast, response({ total: 1, wrong: 0, faults: [], daily_limit: DAILY_LIMIT }));
    dashboard.neighbours.respond(SetSendSettings, response({}));
    dashboard.neighbours.respond(SetSuppression, response({}));
  });
  afterAll(() => dashboard.close());

  it('accepts a value of a broadcast, as JSON and as CSV', async () => {
    const value = '😀'.repeat(1_024);
    const template = { template_name: BAGS.repeat(512), language: 'en' };
    const check = (rows: object) => owner.post('/api/client/broadcasts/check', { ...template, ...rows });
    await check({ recipients: [{ phone: '12015550100', body_params: [value] }] }).expect(200);
    await check({ csv: `phone,name\n12015550100,${value}\n` }).expect(200);
    const recipients = [{ body_params: [value] }];
    expect(requested).toMatchObject([{ recipients }, { recipients }]);
    await check({ recipients: [{ phone: '12015550100', body_params: [`${value}😀`] }] }).expect(400);
  });

  it('accepts an opt-out word, and the reason of a suppression', async () => {
    await owner.put('/api/client/settings', { stop_words: [BAGS.repeat(50)] }).expect(200);
    await owner.put('/api/client/suppressions/12015550100', { state: 'blocked', reason: BAGS.repeat(500) }).expect(200);
    expect(requested).toMatchObject([{ stop_words: [BAGS.repeat(50)] }, { reason: BAGS.repeat(500) }]);
  });
});
