import { GatewayError, type ErrorCode } from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import { startAutoReplies, type AutoReplies } from './auto-reply.fixture';

describe('spec §10: events while a reply is composed', () => {
  let autoReply: AutoReplies;
  beforeEach(async () => (autoReply = await startAutoReplies()));
  afterEach(() => autoReply.harness.close());

  const isModelCalled = (question: string) => eventually(() => autoReply.model.calls.includes(question));
  const ended = (question: string) =>
    eventually(async () => (await autoReply.replies()).find((reply) => reply.question === question && reply.state !== 'pending'));
  const endedAfterPauses = (question: string) =>
    eventually(async () => {
      await autoReply.endPauses();
      return (await autoReply.replies()).find((reply) => reply.question === question && reply.state !== 'pending');
    });
  const texts = () => autoReply.sends.map(({ text }) => text);
  const fails = (code: ErrorCode) => () => {
    throw new GatewayError(code, 'Not now.');
  };

  it('replies only to the newest of several messages in a row, also with a daily limit of one', async () => {
    await autoReply.run();
    await autoReply.set({ daily_limit: 1 });
    for (const question of ['One', 'Two', 'Three']) {
      await autoReply.receive(1, question);
      await isModelCalled(question);
    }
    autoReply.model.release();
    expect(await ended('Three')).toMatchObject({ state: 'replied', reply: 'About: Three' });
    for (const question of ['One', 'Two']) {
      expect(await ended(question)).toMatchObject({
        state: 'skipped',
        reason: 'the customer wrote again: only the newest message gets a reply',
      });
    }
    expect(texts()).toEqual(['About: Three']);
  });

  it('decision 727: an older message that arrives too late for a reply leaves the reply to a newer one alone', async () => {
    await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'New');
    await isModelCalled('New');
    await autoReply.receive(1, 'Old', { at: new Date(Date.now() - 300_000).toISOString() });
    await eventually(async () => 'Old' in (await autoReply.states()));
    autoReply.model.release();
    expect(await ended('New')).toMatchObject({ state: 'replied' });
    expect(await ended('Old')).toMatchObject({ state: 'failed', reason: 'too late for an automatic reply' });
    expect(texts()).toEqual(['About: New']);
  });

  it("strips NUL and lone surrogates from the model's reply", async () => {
    await autoReply.run();
    await autoReply.set({});
    autoReply.model.release();
    await autoReply.receive(1, 'What is ␀?');
    expect(await ended('What is ␀?')).toMatchObject({ state: 'replied', reply: 'About: What is \ufffd?' });
    expect(texts()).toEqual(['About: What is \ufffd?']);
  });

  it('spec §10: reads the caption of a picture, and the description of a chosen row', async () => {
    await autoReply.run();
    await autoReply.set({});
    autoReply.model.release();
    await autoReply.receive(1, 'Is this blue?', { media: { type: 'image', id: '3', mime_type: 'image/jpeg' } });
    expect(await ended('Is this blue?')).toMatchObject({ state: 'replied', reply: 'About: [image] Is this blue?' });
    await autoReply.receive(2, 'Silk', { interactive: { type: 'list_reply', id: 's3', title: 'Silk', description: 'Ships in two days' } });
    expect(await ended('Silk')).toMatchObject({ state: 'replied', reply: 'About: Silk\nShips in two days' });
  });

  it('decision 331: shows typing while the model thinks if the business wants it, and replies although that fails', async () => {
    await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'Without');
    await isModelCalled('Without');
    await autoReply.set({ show_typing: true });
    await autoReply.receive(2, 'With');
    await isModelCalled('With');
    const typing = { business_id: 1, message_id: 'wamid.2', typing: true };
    expect(await eventually(() => autoReply.receipts[0] && autoReply.receipts)).toEqual([typing]);
    expect(texts()).toEqual([]);
    autoReply.model.release();
    expect(await ended('With')).toMatchObject({ state: 'replied' });
  });

  it('guarantees §9: does not start with sealing keys that cannot open its secrets', async () => {
    await autoReply.run();
    await autoReply.set({ api_key_sealed: autoReply.harness.sealer.seal('key', 'auto_reply.api_key:1') });
    const SEALING_KEYS = `other:${Buffer.alloc(32).toString('base64')}`;
    await expect(autoReply.run({ SEALING_KEYS })).rejects.toThrow('SEALING_KEYS');
    await autoReply.run();
  });

  it('guarantees §8: another worker replies if the model takes longer than a stopping worker waits', async () => {
    const stopping = await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'Are you there?');
    await isModelCalled('Are you there?');
    await stopping.stop();
    autoReply.model.release();
    await autoReply.run();
    expect(await ended('Are you there?')).toMatchObject({ state: 'replied', reply: 'About: Are you there?' });
    expect(texts()).toEqual(['About: Are you there?']);
  });

  it.each([
    ['an agent replied', () => autoReply.replyAsAgent(1), 'an agent is active in this conversation'],
    ['auto-reply was switched off', () => autoReply.set({ enabled: false }), 'auto-reply was switched off'],
    ['the customer was blocked', () => autoReply.change(1, { suppression_state: 'blocked' }), 'the customer is blocked'],
    ['the conversation was assigned', () => autoReply.change(1, { assigned_to: 7 }), 'the conversation is assigned to a person'],
    [
      'auto-reply was switched off there',
      () => autoReply.change(1, { auto_reply: false }),
      'automatic replies are off in this conversation',
    ],
  ])('spec §10: sends nothing if meanwhile %s', async (_, meanwhile, reason) => {
    await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'Are you there?');
    await isModelCalled('Are you there?');
    await meanwhile();
    autoReply.model.release();
    expect(await ended('Are you there?')).toMatchObject({ state: 'skipped', reason });
    expect(autoReply.sends).toEqual([]);
  });

  it('quiet_when_agent_active_minutes: an agent counts as active even after many messages of the customer', async () => {
    await autoReply.run();
    await autoReply.set({});
    autoReply.model.release();
    autoReply.replyAsAgent(1);
    for (let i = 1; i <= 25; i++) await autoReply.receive(1, `Line ${i}`);
    expect(await ended('Line 25')).toMatchObject({ state: 'skipped', reason: 'an agent is active in this conversation' });
    expect(autoReply.model.calls).toEqual([]);
  });

  it.each([
    ['opted_out', 'the customer has opted out'],
    ['blocked', 'the customer is blocked'],
  ] as const)('decision 18: does not call the model for a customer who is %s', async (state, reason) => {
    await autoReply.run();
    await autoReply.set({});
    autoReply.model.release();
    autoReply.change(1, { suppression_state: state });
    await autoReply.receive(1, 'STOP');
    expect(await ended('STOP')).toMatchObject({ state: 'skipped', reason });
    expect(autoReply.model.calls).toEqual([]);
  });

  it('decision 18: replies to a customer who opted out of marketing', async () => {
    await autoReply.run();
    await autoReply.set({});
    autoReply.model.release();
    autoReply.change(1, { suppression_state: 'opted_out_marketing' });
    await autoReply.receive(1, 'Opening hours?');
    expect(await ended('Opening hours?')).toMatchObject({ state: 'replied' });
  });

  it.each([
    ['in the same words', () => undefined, { state: 'replied', reply: 'About: Hello' }],
    ['not once an agent replied', () => autoReply.replyAsAgent(1), { state: 'skipped', reason: 'an agent is active in this conversation' }],
  ])('retries a reply that could not be sent at first, %s', async (_, meanwhile, outcome) => {
    await autoReply.run();
    await autoReply.set({});
    autoReply.model.release();
    autoReply.respondToSends(() => {
      meanwhile();
      return fails('PLATFORM_UNAVAILABLE')();
    });
    await autoReply.receive(1, 'Hello');
    await eventually(() => autoReply.sends.length === 1);
    expect(await endedAfterPauses('Hello')).toMatchObject(outcome);
    expect(new Set(texts())).toEqual(new Set(['About: Hello']));
    expect([autoReply.sends.length, autoReply.model.calls.length]).toEqual([outcome.state === 'replied' ? 2 : 1, 1]);
  });

  /** A worker sends its reply to the first question and dies before the response arrives. */
  const diesAfterSending = async () => {
    const victim = await autoReply.spawn();
    await autoReply.set({});
    autoReply.model.release();
    autoReply.respondToSends((accept) => {
      process.kill(victim.pid, 'SIGKILL');
      return accept();
    });
    await autoReply.receive(1, 'First');
    await victim.exited;
  };

  it('guarantees §8: records a reply as sent although its sender died and the customer wrote again', async () => {
    await diesAfterSending();
    await autoReply.run();
    await autoReply.receive(1, 'Second');
    expect(await ended('Second')).toMatchObject({ state: 'replied' });
    await autoReply.expireClaims();
    expect(await ended('First')).toMatchObject({ state: 'replied', reply: 'About: First' });
    const [first, again] = autoReply.sends.filter(({ text }) => text === 'About: First');
    expect(again).toEqual(first);
    await eventually(async () => (await autoReply.harness.published('ai.replied')).length === 2);
  });

  it('decision 24: does not resend a reply of a day ago, whose Idempotency-Key may have expired', async () => {
    await diesAfterSending();
    await autoReply.harness.db.query(`UPDATE auto_reply.replies SET received_at = received_at - interval '1 day'`);
    await autoReply.expireClaims();
    await autoReply.run();
    expect(await ended('First')).toMatchObject({
      state: 'failed',
      reason: 'interrupted for a day; the reply may have been sent',
    });
    expect(autoReply.sends).toHaveLength(1);
  });

  it.each([
    ['whose response was lost', 'DEADLINE_EXCEEDED'],
    ['whose outcome was unknown at first', 'OUTCOME_UNKNOWN'],
    ['that failed after it was sent', 'INTERNAL'],
  ] as const)('a reply %s is recorded as sent, although an agent replied and the next attempt was refused', async (_, code) => {
    await autoReply.run();
    await autoReply.set({});
    autoReply.model.release();
    autoReply.respondToSends((accept) => {
      accept();
      autoReply.replyAsAgent(1);
      return fails(code)();
    }, fails('OVERLOADED'));
    await autoReply.receive(1, 'Hello');
    await eventually(() => autoReply.sends.length === 1);
    expect(await endedAfterPauses('Hello')).toMatchObject({ state: 'replied', reply: 'About: Hello' });
    expect(autoReply.sends).toEqual(Array(3).fill(autoReply.sends[0]));
  });

  it('guarantees §8: a worker that lost its claim changes nothing about the question', async () => {
    await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'Hello');
    await isModelCalled('Hello');
    await autoReply.expireClaims();
    await eventually(() => autoReply.model.calls.length === 2);
    autoReply.model.fail('Hello');
    await autoReply.receive(2, 'Later');
    await isModelCalled('Later');
    autoReply.model.fail('Later');
    expect(await ended('Later')).toMatchObject({ state: 'failed' });
    autoReply.model.release();
    expect(await ended('Hello')).toMatchObject({ state: 'replied', reply: 'About: Hello' });
    expect(texts()).toEqual(['About: Hello']);
  });

  it('guarantees §8: retries a question after a database failure', async () => {
    const { db } = autoReply.harness;
    await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'Hello');
    await isModelCalled('Hello');
    await db.query('ALTER TABLE auto_reply.replies RENAME COLUMN reply TO away');
    autoReply.model.release();
    // The question has ended or was released: a claim lasts 60 s.
    await eventually(
      async () =>
        (await db.query(`SELECT FROM auto_reply.replies WHERE state <> 'pending' OR due_at < now() + interval '30 seconds'`)).length > 0,
    );
    await db.query('ALTER TABLE auto_reply.replies RENAME COLUMN away TO reply');
    expect(await endedAfterPauses('Hello')).toMatchObject({ state: 'replied', reply: 'About: Hello' });
    expect(texts()).toEqual(['About: Hello']);
  });

  it('counts a reply that may have been sent against the daily limit', async () => {
    await autoReply.run();
    await autoReply.set({ daily_limit: 1 });
    autoReply.model.release();
    autoReply.respondToSends(...Array<() => never>(4).fill(fails('OUTCOME_UNKNOWN')));
    await autoReply.receive(1, 'First');
    expect(await endedAfterPauses('First')).toMatchObject({ state: 'failed' });
    await autoReply.receive(2, 'Second');
    expect(await ended('Second')).toMatchObject({ state: 'skipped', reason: 'the daily limit is reached' });
  });
});
