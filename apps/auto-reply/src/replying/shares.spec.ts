import { TryAutoReply } from '@mgw/contracts';
import { Egress } from '@mgw/egress';
import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { startAutoReplies, type AutoReplies } from './auto-reply.fixture';

/** The shares of one business and one origin of a process's 128 workers. */
const ONE_BUSINESS = 16;
const ONE_ORIGIN = 64;

describe('guarantees §10, N2: a model that hangs', () => {
  let autoReply: AutoReplies;
  let hanging: Receiver;
  beforeEach(async () => {
    // A call that hangs would end after 20 s and be repeated, perhaps before a slow machine has handled the other questions.
    const { postAndRead } = Egress.prototype;
    jest.spyOn(Egress.prototype, 'postAndRead').mockImplementation(function (this: Egress, call, maxBytes) {
      return postAndRead.call(this, { ...call, timeoutMs: 600_000 }, maxBytes);
    });
    autoReply = await startAutoReplies();
    hanging = await startReceiver();
    hanging.respond(() => undefined);
    autoReply.harness.onClose(() => hanging.close());
    await autoReply.run();
  });
  afterEach(() => jest.restoreAllMocks());
  afterEach(() => autoReply.harness.close());

  const set = (business_id: number, settings: object) => autoReply.set({ business_id, ...settings });
  const sent = () => autoReply.sends.length;

  it('uses the share of its own business only, even with 100 questions', async () => {
    autoReply.model.holdUnless((question) => question === 'Few');
    await set(1, { instructions: 'Many' });
    await set(2, { instructions: 'Few' });
    await autoReply.insertQuestions(1, 100);
    await eventually(() => autoReply.model.calls.length === ONE_BUSINESS);
    await autoReply.insertQuestions(2, 30);
    await eventually(() => sent() === 30);
    expect(autoReply.model.calls.filter((question) => question === 'Many')).toHaveLength(ONE_BUSINESS);
    autoReply.model.release();
    await eventually(() => sent() === 130);
    expect(new Set(autoReply.sends.map(({ sender }) => `${sender.business_id} ${sender.idempotency?.key}`)).size).toBe(130);
  });

  it('uses the share of its origin only, even with thirty businesses', async () => {
    autoReply.model.release();
    const businesses = Array.from({ length: 30 }, (_, i) => 100 + i);
    for (const business of businesses) await set(business, { base_url: `${hanging.url}/v${business}` });
    for (const business of businesses) await autoReply.insertQuestions(business, 5);
    // The origin may take half of the free workers.
    await eventually(() => hanging.requests.length >= 60);
    await set(2, {});
    await autoReply.insertQuestions(2, 20);
    await eventually(() => sent() === 20);
    expect(hanging.requests.length).toBeLessThanOrEqual(64);
  });

  it('leaves the questions alone that wait for a worker of their origin', async () => {
    const businesses = Array.from({ length: 100 }, (_, i) => 100 + i);
    for (const business of businesses) await set(business, {});
    await Promise.all(businesses.map((business) => autoReply.insertQuestions(business, 1)));
    const inProgress = (calls: number) => eventually(() => autoReply.model.calls.length === calls);
    await inProgress(ONE_ORIGIN);
    for (let ended = 1; ended <= 6; ended++) {
      autoReply.model.fail('Hello');
      await inProgress(ONE_ORIGIN + ended);
    }
    const [claims] = await autoReply.harness.db.query(
      `SELECT sum(attempts)::integer AS all, max(attempts) AS largest FROM auto_reply.replies`,
    );
    expect(claims).toEqual({ all: ONE_ORIGIN + 6, largest: 1 });
  });

  it('trials from the dashboard have their own share', async () => {
    await set(1, { base_url: hanging.url });
    const tryOut = (business_id: number) =>
      autoReply.harness.rpc.call(TryAutoReply, { business_id, text: 'Hello?' }).catch((error: Error) => error.message);
    const waiting = Array.from({ length: 4 }, () => tryOut(1));
    await eventually(() => hanging.requests.length === 4);
    expect(await tryOut(1)).toContain('earlier trials are still waiting');
    autoReply.model.release();
    expect(await tryOut(2)).toMatchObject({ reply: 'About: Hello?' });
    await hanging.close();
    await Promise.all(waiting);
  });

  it('guarantees §10, N1: aborts a response of more than 128 kB', async () => {
    hanging.respond((_, response) => void response.end(JSON.stringify({ choices: [{ message: { content: 'x'.repeat(140_000) } }] })));
    await set(1, { base_url: hanging.url });
    const tried = autoReply.harness.rpc.call(TryAutoReply, { business_id: 1, text: 'Hello?' });
    await expect(tried).rejects.toMatchObject({ error_code: 'MODEL_UNAVAILABLE' });
  });
});
