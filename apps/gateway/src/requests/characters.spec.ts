import { CheckBroadcast, SetSendSettings, SetSuppression } from '@mgw/contracts';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';

/** One character in three code units: outside the basic plane, with a variation selector that asks for its coloured form. */
const BAGS = '\u{1f6cd}\ufe0f';

describe('texts of the dashboard in emoji (product §1 decisions 2 and 15, §2)', () => {
  let dashboard: Dashboard;
  let owner: Session;
  let asked: unknown[];

  beforeAll(async () => {
    dashboard = await startDashboard();
    owner = await dashboard.session('owner', await dashboard.business());
  });
  beforeEach(() => {
    asked = [];
    const answer =
      <R>(reply: R) =>
      (request: unknown) => {
        asked.push(request);
        return reply;
      };
    dashboard.neighbours.answer(CheckBroadcast, answer({ total: 1, wrong: 0, faults: [] }));
    dashboard.neighbours.answer(SetSendSettings, answer({}));
    dashboard.neighbours.answer(SetSuppression, answer({}));
  });
  afterAll(() => dashboard.close());

  it('a value of a broadcast, as JSON and as CSV', async () => {
    const value = '😀'.repeat(1_024);
    const template = { template_name: BAGS.repeat(512), language: 'en' };
    const check = (rows: object) => owner.post('/api/client/broadcasts/check', { ...template, ...rows });
    await check({ recipients: [{ phone: '12015550100', body_params: [value] }] }).expect(200);
    await check({ csv: `phone,name\n12015550100,${value}\n` }).expect(200);
    const recipients = [{ body_params: [value] }];
    expect(asked).toMatchObject([{ recipients }, { recipients }]);
    await check({ recipients: [{ phone: '12015550100', body_params: [`${value}😀`] }] }).expect(400);
  });

  it('an opt-out word, and the reason of a suppression', async () => {
    await owner.put('/api/client/settings', { stop_words: [BAGS.repeat(50)] }).expect(200);
    await owner.put('/api/client/suppressions/12015550100', { state: 'blocked', reason: BAGS.repeat(500) }).expect(200);
    expect(asked).toMatchObject([{ stop_words: [BAGS.repeat(50)] }, { reason: BAGS.repeat(500) }]);
  });
});
