import type { GatewayError } from '@mgw/contracts';
import { GraphClient } from '@mgw/platform-api';
import { eventually } from '@mgw/testing';
import { numberOf, startSending, type Sending } from '../send.fixture';

/** An eighth of the default. */
const RPC_CONCURRENCY = 256;
/** One number's share of concurrent platform calls (1/4 of 128) and of the queue (1/4 of 96). */
const CALLS = 32;
const QUEUE = 24;
const MANY = CALLS + QUEUE + 8;
const ENDLESS_MS = 600_000;

/** guarantees §10, N2: a number has its share of every resource that a send holds while it waits for the platform. */
describe('a number whose platform calls hang', () => {
  let sending: Sending;
  beforeEach(async () => {
    sending = await startSending();
    const { app } = await sending.run({ RPC_CONCURRENCY: String(RPC_CONCURRENCY) });
    withoutDeadlines(app.get(GraphClient, { strict: false }));
  });
  afterEach(async () => {
    sending.platform.release();
    await sending.harness.close();
  });

  /** A slow machine may start the last send after the first one's call (15 s) or wait for a share (5 s) would have ended. */
  const withoutDeadlines = (graph: GraphClient) => {
    const takePlace = graph.takePlace.bind(graph);
    jest.spyOn(graph, 'takePlace').mockImplementation((number) => takePlace(number, ENDLESS_MS));
    Object.assign(graph, { callTimeoutMs: ENDLESS_MS });
  };

  type Ended = { business: number; code: string; error: GatewayError | null };
  /** Starts sends of a business; `ended` collects their results. */
  const start = (business: number, count: number) => {
    const ended: Ended[] = [];
    const all = Array.from({ length: count }, async (_, i) => {
      const to = `91${business}${String(i).padStart(9, '0')}`.slice(0, 12);
      const response = await sending.template({ business_id: business, api_key_id: business }, { to, deadlineAt: Date.now() + ENDLESS_MS });
      const error = 'error_code' in response ? response : null;
      ended.push({ business, code: error?.error_code ?? 'ok', error });
    });
    return { ended, all: Promise.all(all) };
  };
  const hangingCalls = (business: number) => sending.platform.hanging().filter((number) => number === numberOf(business)).length;

  it('gets its share of calls and queue; sends of another number are all accepted meanwhile', async () => {
    sending.platform.hang(numberOf(1));
    const hung = start(1, MANY);
    await eventually(() => hung.ended.length === MANY - CALLS - QUEUE && hangingCalls(1) === CALLS);
    const healthy = start(2, 12);
    await healthy.all;
    expect(healthy.ended.map(({ code }) => code)).toEqual(Array(12).fill('ok'));
    expect(hung.ended).toHaveLength(MANY - CALLS - QUEUE);
    expect(hangingCalls(1)).toBe(CALLS);
    sending.platform.release();
    await hung.all;
  });

  it('refuses a send beyond the share before its intent: no cap, no Idempotency-Key, no record', async () => {
    sending.platform.hang(numberOf(1));
    const hung = start(1, MANY);
    await eventually(() => hung.ended.length === MANY - CALLS - QUEUE && hangingCalls(1) === CALLS);
    expect(hung.ended[0]?.error).toMatchObject({
      error_code: 'PLATFORM_THROTTLED',
      status: 429,
      message: expect.stringContaining('nothing was sent') as string,
      extras: { retry_after_seconds: expect.any(Number) as number },
    });
    const idempotency = { key: 'k', fingerprint: 'f' };
    expect(await sending.template({ idempotency })).toMatchObject({ error_code: 'PLATFORM_THROTTLED' });
    expect([await sending.used(), (await sending.states()).length]).toEqual([CALLS, CALLS]);
    sending.platform.release();
    await hung.all;
    expect(await sending.used()).toBe(hung.ended.filter(({ code }) => code === 'ok').length);
    expect(await sending.template({ idempotency })).toMatchObject({ replayed: false });
  });

  it('ten such numbers leave room for the sends of another', async () => {
    const numbers = Array.from({ length: 10 }, (_, i) => i + 10);
    sending.platform.hang(...numbers.map(numberOf));
    const hung = numbers.map((business) => start(business, 12));
    await eventually(() => sending.platform.hanging().length > 93);
    const healthy = start(2, 9);
    await healthy.all;
    expect(healthy.ended.map(({ code }) => code)).toEqual(Array(9).fill('ok'));
    sending.platform.release();
    await Promise.all(hung.map(({ all }) => all));
  });
});
