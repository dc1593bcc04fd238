import { GatewayError, type ErrorCode } from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import { startAnswering, type Answering } from './answering.fixture';

describe('what happens while a reply is made (product §2, auto-reply)', () => {
  let answering: Answering;
  beforeEach(async () => (answering = await startAnswering()));
  afterEach(() => answering.harness.close());

  const isAsked = (question: string) => eventually(() => answering.model.asked.includes(question));
  const ended = (question: string) =>
    eventually(async () => (await answering.replies()).find((reply) => reply.question === question && reply.state !== 'pending'), {
      timeoutMs: 20_000,
    });
  const endedAfterPauses = (question: string) =>
    eventually(async () => {
      await answering.pausesEnd();
      return (await answering.replies()).find((reply) => reply.question === question && reply.state !== 'pending');
    });
  const texts = () => answering.sends.map(({ text }) => text);
  const fails = (code: ErrorCode) => () => {
    throw new GatewayError(code, 'Not now.');
  };

  it('of several messages in a row only the newest is answered, also under a daily limit of one', async () => {
    await answering.run();
    await answering.set({ daily_limit: 1 });
    for (const question of ['One', 'Two', 'Three']) {
      await answering.writes(1, question);
      await isAsked(question);
    }
    answering.model.release();
    expect(await ended('Three')).toMatchObject({ state: 'replied', reply: 'About: Three' });
    for (const question of ['One', 'Two']) {
      expect(await ended(question)).toMatchObject({
        state: 'skipped',
        reason: 'the customer wrote again: the newer message is answered',
      });
    }
    expect(texts()).toEqual(['About: Three']);
  });

  it('NUL and half a surrogate pair of a model keep its answer from nobody', async () => {
    await answering.run();
    await answering.set({});
    answering.model.release();
    await answering.writes(1, 'What is ␀?');
    expect(await ended('What is ␀?')).toMatchObject({ state: 'replied', reply: 'About: What is \ufffd?' });
    expect(texts()).toEqual(['About: What is \ufffd?']);
  });

  it('guarantees §9: it does not start with other keys than its secrets were sealed with', async () => {
    await answering.run();
    await answering.set({ api_key_sealed: answering.harness.sealer.seal('key', 'auto_reply.api_key:1') });
    const SEALING_KEYS = `other:${Buffer.alloc(32).toString('base64')}`;
    await expect(answering.run({ SEALING_KEYS })).rejects.toThrow('SEALING_KEYS');
    await answering.run();
  });

  it('guarantees §8: a question whose model thinks longer than a stopping worker waits is answered by another', async () => {
    const stopping = await answering.run();
    await answering.set({});
    await answering.writes(1, 'Are you there?');
    await isAsked('Are you there?');
    await stopping.stop();
    answering.model.release();
    await answering.run();
    expect(await ended('Are you there?')).toMatchObject({ state: 'replied', reply: 'About: Are you there?' });
    expect(texts()).toEqual(['About: Are you there?']);
  });

  it.each([
    ['an agent replied', () => answering.agentReplies(1), 'an agent is active in this conversation'],
    ['auto-reply was switched off', () => answering.set({ enabled: false }), 'auto-reply was switched off'],
    ['the customer was blocked', () => answering.suppress(1, 'blocked'), 'the customer is blocked'],
  ])('nothing is sent when meanwhile %s (quiet_when_agent_active_minutes)', async (_, meanwhile, reason) => {
    await answering.run();
    await answering.set({});
    await answering.writes(1, 'Are you there?');
    await isAsked('Are you there?');
    await meanwhile();
    answering.model.release();
    expect(await ended('Are you there?')).toMatchObject({ state: 'skipped', reason });
    expect(answering.sends).toEqual([]);
  });

  it('an agent counts as active although the customer has written much since (quiet_when_agent_active_minutes)', async () => {
    await answering.run();
    await answering.set({});
    answering.model.release();
    answering.agentReplies(1);
    for (let i = 1; i <= 25; i++) await answering.writes(1, `Line ${i}`);
    expect(await ended('Line 25')).toMatchObject({ state: 'skipped', reason: 'an agent is active in this conversation' });
    expect(answering.model.asked).toEqual([]);
  });

  it.each([
    ['opted_out', 'the customer has opted out'],
    ['blocked', 'the customer is blocked'],
  ] as const)('the model is not asked about a message of somebody who is %s (product decision 18)', async (state, reason) => {
    await answering.run();
    await answering.set({});
    answering.model.release();
    answering.suppress(1, state);
    await answering.writes(1, 'STOP');
    expect(await ended('STOP')).toMatchObject({ state: 'skipped', reason });
    expect(answering.model.asked).toEqual([]);
  });

  it('who wants no marketing is answered (product decision 18)', async () => {
    await answering.run();
    await answering.set({});
    answering.model.release();
    answering.suppress(1, 'opted_out_marketing');
    await answering.writes(1, 'Opening hours?');
    expect(await ended('Opening hours?')).toMatchObject({ state: 'replied' });
  });

  it.each([
    ['in the same words', () => undefined, { state: 'replied', reply: 'About: Hello' }],
    ['not once an agent replied', () => answering.agentReplies(1), { state: 'skipped', reason: 'an agent is active in this conversation' }],
  ])('a reply that could not be sent is sent later, %s', async (_, meanwhile, outcome) => {
    await answering.run();
    await answering.set({});
    answering.model.release();
    answering.answerSends(() => {
      meanwhile();
      return fails('PLATFORM_UNAVAILABLE')();
    });
    await answering.writes(1, 'Hello');
    await eventually(() => answering.sends.length === 1);
    expect(await endedAfterPauses('Hello')).toMatchObject(outcome);
    expect(new Set(texts())).toEqual(new Set(['About: Hello']));
    expect([answering.sends.length, answering.model.asked.length]).toEqual([outcome.state === 'replied' ? 2 : 1, 1]);
  });

  /** A worker sends its reply to the first question, and dies before it hears of it. */
  const diesWithItsReplyAway = async () => {
    const victim = await answering.spawn();
    await answering.set({});
    answering.model.release();
    answering.answerSends((accept) => {
      process.kill(victim.pid, 'SIGKILL');
      return accept();
    });
    await answering.writes(1, 'First');
    await victim.exited;
  };

  it('a reply that left before its sender died is recorded as replied, although the customer wrote again (guarantees §8)', async () => {
    await diesWithItsReplyAway();
    await answering.run();
    await answering.writes(1, 'Second');
    expect(await ended('Second')).toMatchObject({ state: 'replied' });
    await answering.leasesEnd();
    expect(await ended('First')).toMatchObject({ state: 'replied', reply: 'About: First' });
    const [first, again] = answering.sends.filter(({ text }) => text === 'About: First');
    expect(again).toEqual(first);
    await eventually(async () => (await answering.harness.told('ai.replied')).length === 2);
  });

  it('a reply that may have left a day ago is not sent again: its Idempotency-Key may be gone (product decision 24)', async () => {
    await diesWithItsReplyAway();
    await answering.harness.db.query(`UPDATE auto_reply.replies SET received_at = received_at - interval '1 day'`);
    await answering.leasesEnd();
    await answering.run();
    expect(await ended('First')).toMatchObject({
      state: 'failed',
      reason: 'interrupted for a day: whether the reply was sent is not known',
    });
    expect(answering.sends).toHaveLength(1);
  });

  it.each([
    ['whose answer was lost', 'DEADLINE_EXCEEDED'],
    ['whose outcome was unknown at first', 'OUTCOME_UNKNOWN'],
    ['that met a failure after it had left', 'INTERNAL'],
  ] as const)('a reply %s is recorded as replied, although an agent replied and the next try was turned away', async (_, code) => {
    await answering.run();
    await answering.set({});
    answering.model.release();
    answering.answerSends((accept) => {
      accept();
      answering.agentReplies(1);
      return fails(code)();
    }, fails('OVERLOADED'));
    await answering.writes(1, 'Hello');
    await eventually(() => answering.sends.length === 1);
    expect(await endedAfterPauses('Hello')).toMatchObject({ state: 'replied', reply: 'About: Hello' });
    expect(answering.sends).toEqual(Array(3).fill(answering.sends[0]));
  });

  it('what befalls a worker changes nothing about a question that another one has taken over (guarantees §8)', async () => {
    await answering.run();
    await answering.set({});
    await answering.writes(1, 'Hello');
    await isAsked('Hello');
    await answering.leasesEnd();
    await eventually(() => answering.model.asked.length === 2);
    answering.model.fail('Hello');
    await answering.writes(2, 'Later');
    await isAsked('Later');
    answering.model.fail('Later');
    expect(await ended('Later')).toMatchObject({ state: 'failed' });
    answering.model.release();
    expect(await ended('Hello')).toMatchObject({ state: 'replied', reply: 'About: Hello' });
    expect(texts()).toEqual(['About: Hello']);
  });

  it('a question that meets a failure of the database is answered later (guarantees §8)', async () => {
    const { db } = answering.harness;
    await answering.run();
    await answering.set({});
    await answering.writes(1, 'Hello');
    await isAsked('Hello');
    await db.query('ALTER TABLE auto_reply.replies RENAME COLUMN reply TO away');
    answering.model.release();
    // Ended, or given back: what is worked on has a lease of 60 s.
    await eventually(
      async () =>
        (await db.query(`SELECT FROM auto_reply.replies WHERE state <> 'pending' OR due_at < now() + interval '30 seconds'`)).length > 0,
    );
    await db.query('ALTER TABLE auto_reply.replies RENAME COLUMN away TO reply');
    expect(await endedAfterPauses('Hello')).toMatchObject({ state: 'replied', reply: 'About: Hello' });
    expect(texts()).toEqual(['About: Hello']);
  });

  it('a reply that may have left counts against the daily limit', async () => {
    await answering.run();
    await answering.set({ daily_limit: 1 });
    answering.model.release();
    answering.answerSends(...Array<() => never>(4).fill(fails('OUTCOME_UNKNOWN')));
    await answering.writes(1, 'First');
    expect(await endedAfterPauses('First')).toMatchObject({ state: 'failed' });
    await answering.writes(2, 'Second');
    expect(await ended('Second')).toMatchObject({ state: 'skipped', reason: 'the daily limit is reached' });
  });
});
