import { ACCOUNT, codeOf, NUMBER, Started, TOKEN } from '../simulator.fixture';

const PEOPLE = Array.from({ length: 100 }, (_, i) => String(919_000_000_000 + i));

describe('the profile (platform §5, §8.4)', () => {
  let started: Started;
  beforeEach(async () => {
    started = await Started.with();
    await clock(0);
  });
  afterEach(() => started.close());

  const profile = (change: object) => started.control('PATCH', 'profile', change);
  /** Stops the clock, so that the counts of a second do not depend on the machine. */
  const clock = (offset_seconds: number) => started.control('POST', 'clock', { offset_seconds, stopped: true });
  const codes = async (count: number, act: (i: number) => ReturnType<Started['sendTemplate']>) => {
    const codes = [];
    for (let i = 0; i < count; i++) codes.push(codeOf(await act(i)));
    return codes;
  };

  it('is lenient by default; a name sets its limits, explicit settings override them', async () => {
    const lenient = { messages_per_second: null, pair_limit: false, management_calls_per_hour: null, tier: 'TIER_UNLIMITED' };
    expect((await started.control('GET', 'profile')).body).toMatchObject({ profile: 'lenient', ...lenient });
    const realistic = { messages_per_second: 80, pair_limit: true, management_calls_per_hour: 200 };
    expect((await profile({ profile: 'realistic', tier: 'TIER_250' })).body).toMatchObject({ ...realistic, tier: 'TIER_250' });
    const { body } = await started.graph('GET', `${NUMBER}?fields=whatsapp_business_manager_messaging_limit`);
    expect(body['whatsapp_business_manager_messaging_limit']).toBe('TIER_250');
    expect((await profile({ profile: 'lenient' })).body).toMatchObject(lenient);
  });

  it.each([{ profile: 'strict' }, { tier: 'TIER_1K' }, { messages_per_second: 0 }, { status_mode: 'never' }, { colour: 'red' }])(
    'refuses %j',
    async (change) => {
      expect((await profile(change)).status).toBe(400);
    },
  );

  it('130429: allows 80 inbound and outbound messages a second', async () => {
    await profile({ profile: 'realistic' });
    await started.receive();
    expect(await codes(80, (i) => started.sendTemplate(PEOPLE[i]))).toEqual([...Array(79).fill(undefined), 130429]);
    await clock(2);
    expect(await codes(1, () => started.sendTemplate(PEOPLE[90]))).toEqual([undefined]);
  });

  it('131056: allows a burst of 45 messages to one person, then one in six seconds, and does not limit others', async () => {
    await profile({ pair_limit: true });
    expect(await codes(46, () => started.sendTemplate())).toEqual([...Array(45).fill(undefined), 131056]);
    expect(await codes(1, () => started.sendTemplate(PEOPLE[0]))).toEqual([undefined]);
    await clock(7);
    expect(await codes(2, () => started.sendTemplate())).toEqual([undefined, 131056]);
  });

  it('80007: allows 200 management calls an hour, and gives the time of the next one', async () => {
    await profile({ profile: 'realistic' });
    const list = () => started.graph('GET', `${ACCOUNT}/message_templates?limit=1`);
    expect(await codes(200, list)).toEqual(Array(200).fill(undefined));
    await clock(1_800);
    const refused = await list();
    expect(codeOf(refused)).toBe(80007);
    const usage = JSON.parse(refused.headers.get('x-business-use-case-usage') ?? '') as Record<string, unknown>;
    expect(usage).toEqual({ [ACCOUNT]: [expect.objectContaining({ estimated_time_to_regain_access: 30 }) as unknown] });
    expect((await started.graph('GET', `${NUMBER}?fields=status`)).status).toBe(200);
    await clock(3_601);
    expect(codeOf(await list())).toBeUndefined();
  });

  it('131048: limits the people with whom a business starts conversations in a day', async () => {
    await profile({ tier: 'TIER_250' });
    const many = Array.from({ length: 250 }, (_, i) => String(918_000_000_000 + i));
    expect(await codes(250, (i) => started.sendTemplate(many[i]))).toEqual(Array(250).fill(undefined));
    expect(codeOf(await started.sendTemplate(PEOPLE[0]))).toBe(131048);
    expect(codeOf(await started.sendTemplate(many[7]))).toBeUndefined();
    await started.receive({}, PEOPLE[0]);
    expect(codeOf(await started.sendTemplate(PEOPLE[0]))).toBeUndefined();
    await clock(86_401);
    expect(codeOf(await started.sendTemplate(PEOPLE[1]))).toBeUndefined();
  });

  it.each([
    ['usual', 1, 'sent,delivered,read'],
    ['read_only', 1, 'sent,read'],
    ['reorder', 1, 'read,delivered,sent'],
    ['held_then_failed', 1, 'failed'],
    ['usual', 2, 'sent,sent,delivered,delivered,read,read'],
  ])('§8.2: status mode %s, %i times, posts %s', async (status_mode, duplicate, expected) => {
    await profile({ status_mode, duplicate });
    const { body } = await started.sendTemplate();
    const { id } = (body['messages'] as { id: string }[])[0] ?? { id: '' };
    const statuses = await started.statusesOf(id, expected.split(',').length);
    expect(statuses.map(({ status }) => status).join()).toBe(expected);
  });

  it('§8.2: early posts before the response, drop never, held responds with its status', async () => {
    await profile({ status_mode: 'early' });
    await started.sendTemplate();
    expect(started.statuses()[0]).toMatchObject({ status: 'delivered' });
    await profile({ status_mode: 'drop' });
    await started.sendTemplate(PEOPLE[1]);
    expect(started.simulator.engine.state().filter(({ recipient }) => recipient === PEOPLE[1])).toEqual([]);
    await profile({ status_mode: 'held' });
    expect((await started.sendTemplate()).body['messages']).toMatchObject([{ message_status: 'held_for_quality_assessment' }]);
  });

  it('§8.2: collects statuses into one webhook', async () => {
    await profile({ batch_ms: 3_000 });
    const send = async (to: string) => {
      const { body } = await started.sendTemplate(to);
      return (body['messages'] as { id: string }[])[0]?.id ?? '';
    };
    const ids = await Promise.all(['12015550102', '12015550102', '12015550102'].map(send));
    for (const id of ids) await started.statusesOf(id, 1);
    expect(started.changes().map(({ value }) => value.statuses?.length)).toEqual([3]);
  });

  it('counts each account separately', async () => {
    await profile({ management_calls_per_hour: 1 });
    expect(codeOf(await started.graph('GET', `${ACCOUNT}/phone_numbers`))).toBeUndefined();
    expect(codeOf(await started.graph('GET', `${ACCOUNT}/phone_numbers`, undefined, { authorization: `Bearer ${TOKEN}` }))).toBe(80007);
    const other = { authorization: 'Bearer EAAsimNorthlight' };
    expect(codeOf(await started.graph('GET', '800900100200302/phone_numbers', undefined, other))).toBeUndefined();
  });
});
