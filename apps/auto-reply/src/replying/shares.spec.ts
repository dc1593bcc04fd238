import { TryAutoReply } from '@mgw/contracts';
import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { startAnswering, type Answering } from './answering.fixture';

/** One business's share of a process's 128 workers. */
const ONE_BUSINESS = 16;

/** guarantees §10, N2: workers for automatic replies have shares per business and per model. */
describe('a model that hangs', () => {
  let answering: Answering;
  let hanging: Receiver;
  beforeEach(async () => {
    answering = await startAnswering();
    hanging = await startReceiver();
    hanging.respond(() => undefined);
    answering.harness.onClose(() => hanging.close());
    await answering.run();
  });
  afterEach(() => answering.harness.close());

  const set = (business_id: number, settings: object) => answering.set({ business_id, ...settings });
  const sent = () => answering.sends.length;

  it('holds its own business’s share only: 100 questions of one business leave another’s answered', async () => {
    answering.model.holdUnless((question) => question === 'Few');
    await set(1, { instructions: 'Many' });
    await set(2, { instructions: 'Few' });
    await answering.asks(1, 100);
    await eventually(() => answering.model.asked.length === ONE_BUSINESS);
    await answering.asks(2, 30);
    await eventually(() => sent() === 30);
    expect(answering.model.asked.filter((question) => question === 'Many')).toHaveLength(ONE_BUSINESS);
    answering.model.release();
    await eventually(() => sent() === 130);
    expect(new Set(answering.sends.map(({ sender }) => `${sender.business_id} ${sender.idempotency?.key}`)).size).toBe(130);
  });

  it('holds its own origin’s share only: thirty businesses that share it leave those with another model answered', async () => {
    answering.model.release();
    const businesses = Array.from({ length: 30 }, (_, i) => 100 + i);
    for (const business of businesses) await set(business, { base_url: `${hanging.url}/v${business}` });
    for (const business of businesses) await answering.asks(business, 5);
    // Half of what is free, as the origin's questions come.
    await eventually(() => hanging.requests.length >= 60);
    await set(2, {});
    await answering.asks(2, 20);
    await eventually(() => sent() === 20);
    expect(hanging.requests.length).toBeLessThanOrEqual(64);
  });

  it('tries from the dashboard have a share of their own', async () => {
    await set(1, { base_url: hanging.url });
    const tryOut = (business_id: number) =>
      answering.harness.rpc.call(TryAutoReply, { business_id, text: 'Hello?' }).catch((error: Error) => error.message);
    const waiting = Array.from({ length: 4 }, () => tryOut(1));
    await eventually(() => hanging.requests.length === 4);
    expect(await tryOut(1)).toContain('earlier tries still wait');
    answering.model.release();
    expect(await tryOut(2)).toMatchObject({ reply: 'About: Hello?' });
    await hanging.close();
    await Promise.all(waiting);
  });

  it('guarantees §10, N1: a response of more than 128 kB is given up, also by a try', async () => {
    hanging.respond((_, response) => void response.end(JSON.stringify({ choices: [{ message: { content: 'x'.repeat(140_000) } }] })));
    await set(1, { base_url: hanging.url });
    const tried = answering.harness.rpc.call(TryAutoReply, { business_id: 1, text: 'Hello?' });
    await expect(tried).rejects.toMatchObject({ error_code: 'MODEL_UNAVAILABLE' });
  });
});
