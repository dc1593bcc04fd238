import { GatewayError, type ErrorCode } from '@mgw/contracts';
import { eventually, sideBySide } from '@mgw/testing';
import { startAutoReplies, type AutoReplies } from './auto-reply.fixture';

const test = sideBySide(startAutoReplies, ({ harness }) => harness.close());

describe('spec §10: events while a reply is composed', () => {
  const texts = (autoReply: AutoReplies) => autoReply.sends.map(({ text }) => text);
  const fails = (code: ErrorCode) => () => {
    throw new GatewayError(code, 'Not now.');
  };

  test('replies only to the newest of several messages in a row, even with a daily limit of one', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({ daily_limit: 1 });
    for (const question of ['One', 'Two', 'Three']) {
      await autoReply.receive(1, question);
      await autoReply.isModelCalled(question);
    }
    autoReply.model.release();
    expect(await autoReply.ended('Three')).toMatchObject({ state: 'replied', reply: 'About: Three' });
    for (const question of ['One', 'Two']) {
      expect(await autoReply.ended(question)).toMatchObject({
        state: 'skipped',
        reason: 'the customer wrote again: only the newest message gets a reply',
      });
    }
    expect(texts(autoReply)).toEqual(['About: Three']);
  });

  test('decision 716: leaves the reply to a newer message, even of the same second, that the thread shows before its event arrives', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    const at = new Date().toISOString();
    await autoReply.receive(1, 'First', { at });
    await autoReply.isModelCalled('First');
    const publish = autoReply.write(1, 'Second', { at });
    autoReply.model.release();
    expect(await autoReply.ended('First')).toMatchObject({ state: 'skipped' });
    await publish();
    expect(await autoReply.ended('Second')).toMatchObject({ state: 'replied' });
    expect(texts(autoReply)).toEqual(['About: Second']);
  });

  test('decision 716: replies although a newer message of the thread never becomes a question', async (autoReply) => {
    const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();
    await autoReply.run();
    await autoReply.set({});
    autoReply.write(1, 'Never a question', { at: secondsAgo(70) });
    autoReply.model.release();
    await autoReply.receive(1, 'First', { at: secondsAgo(80) });
    expect(await autoReply.ended('First')).toMatchObject({ state: 'replied' });
  });

  test('decision 727: an older message that arrives too late for a reply leaves the reply to a newer one alone', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'New');
    await autoReply.isModelCalled('New');
    await autoReply.receive(1, 'Old', { at: new Date(Date.now() - 300_000).toISOString() });
    await eventually(async () => 'Old' in (await autoReply.states()));
    autoReply.model.release();
    expect(await autoReply.ended('New')).toMatchObject({ state: 'replied' });
    expect(await autoReply.ended('Old')).toMatchObject({ state: 'failed', reason: 'too late for an automatic reply' });
    expect(texts(autoReply)).toEqual(['About: New']);
  });

  test("strips NUL and lone surrogates from the model's reply", async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    autoReply.model.release();
    await autoReply.receive(1, 'What is ␀?');
    expect(await autoReply.ended('What is ␀?')).toMatchObject({ state: 'replied', reply: 'About: What is \ufffd?' });
    expect(texts(autoReply)).toEqual(['About: What is \ufffd?']);
  });

  test('spec §10: reads the caption of a picture, and the description of a chosen row', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    autoReply.model.release();
    await autoReply.receive(1, 'Is this blue?', { media: { type: 'image', id: '3', mime_type: 'image/jpeg' } });
    expect(await autoReply.ended('Is this blue?')).toMatchObject({ state: 'replied', reply: 'About: [image] Is this blue?' });
    await autoReply.receive(2, 'Silk', { interactive: { type: 'list_reply', id: 's3', title: 'Silk', description: 'Ships in two days' } });
    expect(await autoReply.ended('Silk')).toMatchObject({ state: 'replied', reply: 'About: Silk\nShips in two days' });
  });

  test('decision 331: shows typing while the model thinks if the business wants it, and replies although that fails', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'Without');
    await autoReply.isModelCalled('Without');
    await autoReply.set({ show_typing: true });
    await autoReply.receive(2, 'With');
    await autoReply.isModelCalled('With');
    const typing = { business_id: 1, message_id: 'wamid.2', typing: true };
    expect(await eventually(() => autoReply.receipts[0] && autoReply.receipts)).toEqual([typing]);
    expect(texts(autoReply)).toEqual([]);
    autoReply.model.release();
    expect(await autoReply.ended('With')).toMatchObject({ state: 'replied' });
  });

  test('guarantees §9, decision 721: does not start with sealing keys that cannot open its secrets, and starts although the key id of one is damaged', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({ api_key_sealed: autoReply.harness.sealer.seal('key', 'auto_reply.api_key:1') });
    const SEALING_KEYS = `other:${Buffer.alloc(32).toString('base64')}`;
    await expect(autoReply.run({ SEALING_KEYS })).rejects.toThrow('SEALING_KEYS');
    await autoReply.set({ api_key_sealed: 'tesx.damaged' });
    // A ring that opens nothing here is not the right one.
    await expect(autoReply.run({ SEALING_KEYS })).rejects.toThrow('"tesx" (auto_reply.settings.api_key_sealed, business_id 1)');
    await autoReply.run();
  });

  test('guarantees §8: another worker replies if the model takes longer than a stopping worker waits', async (autoReply) => {
    const stopping = await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'Are you there?');
    await autoReply.isModelCalled('Are you there?');
    await stopping.stop();
    autoReply.model.release();
    await autoReply.run();
    expect(await autoReply.ended('Are you there?')).toMatchObject({ state: 'replied', reply: 'About: Are you there?' });
    expect(texts(autoReply)).toEqual(['About: Are you there?']);
  });

  const events: [string, (autoReply: AutoReplies) => unknown, string][] = [
    ['an agent replied', (autoReply) => autoReply.replyAsAgent(1), 'an agent is active in this conversation'],
    ['auto-reply was switched off', (autoReply) => autoReply.set({ enabled: false }), 'auto-reply was switched off'],
    ['the customer was blocked', (autoReply) => autoReply.change(1, { suppression_state: 'blocked' }), 'the customer is blocked'],
    ['the conversation was assigned', (autoReply) => autoReply.change(1, { assigned_to: 7 }), 'the conversation is assigned to a person'],
    [
      'auto-reply was switched off there',
      (autoReply) => autoReply.change(1, { auto_reply: false }),
      'automatic replies are off in this conversation',
    ],
  ];
  for (const [event, meanwhile, reason] of events) {
    test(`spec §10: sends nothing if meanwhile ${event}`, async (autoReply) => {
      await autoReply.run();
      await autoReply.set({});
      await autoReply.receive(1, 'Are you there?');
      await autoReply.isModelCalled('Are you there?');
      await meanwhile(autoReply);
      autoReply.model.release();
      expect(await autoReply.ended('Are you there?')).toMatchObject({ state: 'skipped', reason });
      expect(autoReply.sends).toEqual([]);
    });
  }

  test('quiet_when_agent_active_minutes: an agent counts as active even after many messages of the customer', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    autoReply.model.release();
    autoReply.replyAsAgent(1);
    for (let i = 1; i <= 25; i++) await autoReply.receive(1, `Line ${i}`);
    expect(await autoReply.ended('Line 25')).toMatchObject({ state: 'skipped', reason: 'an agent is active in this conversation' });
    expect(autoReply.model.calls).toEqual([]);
  });

  for (const [state, reason] of [
    ['opted_out', 'the customer has opted out'],
    ['blocked', 'the customer is blocked'],
  ] as const) {
    test(`decision 18: does not call the model for a customer who is ${state}`, async (autoReply) => {
      await autoReply.run();
      await autoReply.set({});
      autoReply.model.release();
      autoReply.change(1, { suppression_state: state });
      await autoReply.receive(1, 'STOP');
      expect(await autoReply.ended('STOP')).toMatchObject({ state: 'skipped', reason });
      expect(autoReply.model.calls).toEqual([]);
    });
  }

  test('decision 18: replies to a customer who opted out of marketing', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    autoReply.model.release();
    autoReply.change(1, { suppression_state: 'opted_out_marketing' });
    await autoReply.receive(1, 'Opening hours?');
    expect(await autoReply.ended('Opening hours?')).toMatchObject({ state: 'replied' });
  });

  for (const [how, hasAgent, outcome] of [
    ['in the same words', false, { state: 'replied', reply: 'About: Hello' }],
    ['not once an agent replied', true, { state: 'skipped', reason: 'an agent is active in this conversation' }],
  ] as const) {
    test(`retries a reply that could not be sent at first, ${how}`, async (autoReply) => {
      await autoReply.run();
      await autoReply.set({});
      autoReply.model.release();
      autoReply.respondToSends(() => {
        if (hasAgent) autoReply.replyAsAgent(1);
        return fails('PLATFORM_UNAVAILABLE')();
      });
      await autoReply.receive(1, 'Hello');
      await eventually(() => autoReply.sends.length === 1);
      expect(await autoReply.endedAfterPauses('Hello')).toMatchObject(outcome);
      expect(new Set(texts(autoReply))).toEqual(new Set(['About: Hello']));
      expect([autoReply.sends.length, autoReply.model.calls.length]).toEqual([outcome.state === 'replied' ? 2 : 1, 1]);
    });
  }

  /** A worker sends its reply to the first question and dies before the response arrives. */
  const diesAfterSending = async (autoReply: AutoReplies) => {
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

  test('guarantees §8: records a reply as sent although its sender died and the customer wrote again', async (autoReply) => {
    await diesAfterSending(autoReply);
    await autoReply.run();
    await autoReply.receive(1, 'Second');
    expect(await autoReply.ended('Second')).toMatchObject({ state: 'replied' });
    await autoReply.expireClaims();
    expect(await autoReply.ended('First')).toMatchObject({ state: 'replied', reply: 'About: First' });
    const [first, again] = autoReply.sends.filter(({ text }) => text === 'About: First');
    expect(again).toEqual(first);
    await eventually(async () => (await autoReply.harness.published('ai.replied')).length === 2);
  });

  test('decision 24: does not resend a reply of a day ago, whose Idempotency-Key may have expired', async (autoReply) => {
    await diesAfterSending(autoReply);
    await autoReply.harness.db.query(`UPDATE auto_reply.replies SET received_at = received_at - interval '1 day'`);
    await autoReply.expireClaims();
    await autoReply.run();
    expect(await autoReply.ended('First')).toMatchObject({
      state: 'failed',
      reason: 'interrupted for a day; the reply may have been sent',
    });
    expect(autoReply.sends).toHaveLength(1);
  });

  for (const [which, code] of [
    ['whose response was lost', 'DEADLINE_EXCEEDED'],
    ['whose outcome was unknown at first', 'OUTCOME_UNKNOWN'],
    ['that failed after it was sent', 'INTERNAL'],
  ] as const) {
    test(`a reply ${which} is recorded as sent, although an agent replied and the next attempt was refused`, async (autoReply) => {
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
      expect(await autoReply.endedAfterPauses('Hello')).toMatchObject({ state: 'replied', reply: 'About: Hello' });
      expect(autoReply.sends).toEqual(Array(3).fill(autoReply.sends[0]));
    });
  }

  test('guarantees §8: a worker that lost its claim changes nothing about the question', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'Hello');
    await autoReply.isModelCalled('Hello');
    await autoReply.expireClaims();
    await eventually(() => autoReply.model.calls.length === 2);
    autoReply.model.fail('Hello');
    await autoReply.receive(2, 'Later');
    await autoReply.isModelCalled('Later');
    autoReply.model.fail('Later');
    expect(await autoReply.ended('Later')).toMatchObject({ state: 'failed' });
    autoReply.model.release();
    expect(await autoReply.ended('Hello')).toMatchObject({ state: 'replied', reply: 'About: Hello' });
    expect(texts(autoReply)).toEqual(['About: Hello']);
  });

  test('guarantees §8: retries a question after a database failure', async (autoReply) => {
    const { db } = autoReply.harness;
    await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'Hello');
    await autoReply.isModelCalled('Hello');
    await db.query('ALTER TABLE auto_reply.replies RENAME COLUMN reply TO away');
    autoReply.model.release();
    // The question has ended or was released: a claim lasts 60 s.
    await eventually(
      async () =>
        (await db.query(`SELECT FROM auto_reply.replies WHERE state <> 'pending' OR due_at < now() + interval '30 seconds'`)).length > 0,
    );
    await db.query('ALTER TABLE auto_reply.replies RENAME COLUMN away TO reply');
    expect(await autoReply.endedAfterPauses('Hello')).toMatchObject({ state: 'replied', reply: 'About: Hello' });
    expect(texts(autoReply)).toEqual(['About: Hello']);
  });

  test('counts a reply that may have been sent against the daily limit', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({ daily_limit: 1 });
    autoReply.model.release();
    autoReply.respondToSends(...Array<() => never>(4).fill(fails('OUTCOME_UNKNOWN')));
    await autoReply.receive(1, 'First');
    expect(await autoReply.endedAfterPauses('First')).toMatchObject({ state: 'failed' });
    await autoReply.receive(2, 'Second');
    expect(await autoReply.ended('Second')).toMatchObject({ state: 'skipped', reason: 'the daily limit is reached' });
  });
});
