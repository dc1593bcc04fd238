import { FindSends, FindUnanswered, GatewayError, TryAutoReply, type ErrorCode, type RequestOf } from '@mgw/contracts';
import { eventually, sideBySide } from '@mgw/testing';
import { startAutoReplies, type AutoReplies } from './auto-reply.fixture';

const test = sideBySide(startAutoReplies, ({ harness }) => harness.close());

describe('guarantees §8: a question whose model does not reply', () => {
  const called = (autoReply: AutoReplies, times: number) => eventually(() => autoReply.model.calls.length === times);
  const end = (autoReply: AutoReplies) => eventually(async () => (await autoReply.replies()).find(({ state }) => state !== 'pending'));
  const endAfterPauses = (autoReply: AutoReplies) =>
    eventually(async () => {
      await autoReply.endPauses();
      return (await autoReply.replies()).find(({ state }) => state !== 'pending');
    });
  /** Whether no worker holds a question. */
  const isWaiting = async (autoReply: AutoReplies) =>
    (await autoReply.harness.db.query('SELECT FROM auto_reply.replies WHERE worker_id IS NOT NULL')).length === 0;
  /** Resolves once the model is called again. */
  const calledAgain = async (autoReply: AutoReplies) => {
    const before = autoReply.model.calls.length;
    await eventually(async () => {
      await autoReply.endPauses();
      return autoReply.model.calls.length > before;
    });
  };
  const failsFourTimes = async (autoReply: AutoReplies) => {
    for (let failures = 0; failures < 4; failures++) {
      autoReply.model.fail('Hello', 500);
      await calledAgain(autoReply);
    }
  };

  test('retries after 500, 429 and 408 until the model responds again', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'Hello');
    await called(autoReply, 1);
    for (const status of [500, 429, 408, 500, 429]) {
      autoReply.model.fail('Hello', status);
      await calledAgain(autoReply);
    }
    autoReply.model.release();
    expect(await end(autoReply)).toMatchObject({ state: 'replied', reply: 'About: Hello' });
    expect(autoReply.sends).toHaveLength(1);
  });

  test('is left for an agent after two minutes, with the reason', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'Hello');
    await called(autoReply, 1);
    await autoReply.advanceTime(119);
    autoReply.model.fail('Hello', 503);
    expect(await end(autoReply)).toMatchObject({ state: 'failed', reason: 'the model responded with 503', reply: null });
    const unanswered = async (business_id = 1) =>
      (await autoReply.harness.rpc.call(FindUnanswered, { business_id, conversation_ids: [1, 2] })).unanswered;
    expect(await unanswered()).toEqual([{ conversation_id: 1, reason: 'the model responded with 503' }]);
    expect(await unanswered(2)).toEqual([]);
    // A newer question is pending.
    await autoReply.receive(1, 'Hello?');
    await called(autoReply, 2);
    expect(await unanswered()).toEqual([]);
    autoReply.model.release();
  });

  test('is left after two minutes too if the clock of the platform is ahead', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'Hello', { at: '5000-01-02T03:04:05.000Z' });
    await called(autoReply, 1);
    await autoReply.advanceTime(119);
    autoReply.model.fail('Hello', 503);
    expect(await end(autoReply)).toMatchObject({ state: 'failed', reason: 'the model responded with 503' });
  });

  test('is left for an agent at once if the model refuses', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'Hello');
    await called(autoReply, 1);
    autoReply.model.fail('Hello', 401);
    expect(await end(autoReply)).toMatchObject({ state: 'failed', reason: 'the model responded with 401' });
  });

  test('decision 726: is left for an agent at once if the stored key is damaged, and counts no call', async (autoReply) => {
    const { harness, model } = autoReply;
    await autoReply.run();
    await autoReply.set({ api_key_sealed: harness.sealer.seal('key', 'auto_reply.api_key:1') });
    await harness.db.query(`UPDATE auto_reply.settings SET api_key_sealed = 'test.damaged'`);
    await autoReply.receive(1, 'Hello');
    const reason = 'the stored model API key cannot be read: save it again';
    expect(await end(autoReply)).toMatchObject({ state: 'failed', reason, reply: null });
    expect(await harness.db.query('SELECT model_calls, failed_attempts FROM auto_reply.replies')).toEqual([
      { model_calls: 0, failed_attempts: 0 },
    ]);
    const trial = harness.rpc.call(TryAutoReply, { business_id: 1, text: 'Hello' });
    await expect(trial).rejects.toMatchObject({ error_code: 'MODEL_UNAVAILABLE', message: `No reply: ${reason}.` });
    await autoReply.set({ api_key_sealed: harness.sealer.seal('new key', 'auto_reply.api_key:1') });
    model.release();
    await autoReply.receive(1, 'Hello again');
    await eventually(async () => (await autoReply.states())['Hello again'] === 'replied');
  });

  test('decision 243: is tried again when its thread could not be read in time', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    autoReply.model.release();
    autoReply.failReads('QUERY_TIMEOUT');
    await autoReply.receive(1, 'Hello');
    expect(await endAfterPauses(autoReply)).toMatchObject({ state: 'replied', reply: 'About: Hello' });
  });

  for (const code of ['INTERNAL', 'DEADLINE_EXCEEDED', 'REPLY_LOST'] as const) {
    test(`decision 243: is tried again however often a read fails with ${code}, because no reply was sent`, async (autoReply) => {
      await autoReply.run();
      await autoReply.set({});
      autoReply.model.release();
      autoReply.failReads(...Array<typeof code>(6).fill(code));
      await autoReply.receive(1, 'Hello');
      expect(await endAfterPauses(autoReply)).toMatchObject({ state: 'replied', reply: 'About: Hello' });
    });
  }

  test('is left for an agent after two minutes even if its thread cannot be read', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'Hello');
    await called(autoReply, 1);
    await autoReply.advanceTime(119);
    autoReply.failReads('DEADLINE_EXCEEDED');
    autoReply.model.release();
    expect(await end(autoReply)).toMatchObject({ state: 'failed', reason: 'DEADLINE_EXCEEDED: Not now.' });
  });

  test('decision 24: a reply that may have been sent is followed up, however often the model failed before', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    await autoReply.receive(1, 'Hello');
    await called(autoReply, 1);
    await failsFourTimes(autoReply);
    autoReply.respondToSends((accept) => {
      accept();
      throw new GatewayError('OUTCOME_UNKNOWN', 'Not now.');
    });
    autoReply.model.release();
    expect(await endAfterPauses(autoReply)).toMatchObject({ state: 'replied', reply: 'About: Hello' });
    expect(autoReply.sends).toHaveLength(2);
  });

  test('decision 24: an unclear send is followed up although its sender died after the model had failed', async (autoReply) => {
    const victim = await autoReply.spawn();
    await autoReply.set({});
    await autoReply.receive(1, 'Hello');
    await called(autoReply, 1);
    await failsFourTimes(autoReply);
    autoReply.respondToSends(
      (accept) => {
        process.kill(victim.pid, 'SIGKILL');
        return accept();
      },
      () => {
        throw new GatewayError('IDEMPOTENCY_IN_FLIGHT', 'Not now.');
      },
    );
    autoReply.model.release();
    await victim.exited;
    await autoReply.run();
    expect(await endAfterPauses(autoReply)).toMatchObject({ state: 'replied', reply: 'About: Hello' });
    expect(autoReply.sends).toHaveLength(3);
    await eventually(async () => (await autoReply.harness.published('ai.replied')).length === 1);
  });

  for (const last of ['OUTCOME_UNKNOWN', 'INTERNAL'] as const) {
    test(`decision 771: shows as replied if WhatsApp confirms its unclear send after it was left for an agent with ${last}`, async (autoReply) => {
      const { harness } = autoReply;
      const unclear = 'gw_01931f6e-0000-7000-8000-000000000001';
      harness.respond(FindSends, ({ message_ids: [id] }) => {
        const send = { message_id: 'wamid.late', state: 'accepted' as const, to: '919876543001', at: '2026-11-28T10:00:00.000Z' };
        return { sends: [id === unclear ? { ...send, failure_reason: null } : null] };
      });
      await autoReply.run();
      await autoReply.set({});
      autoReply.model.release();
      const respondWith = (code: typeof last) => () => {
        throw new GatewayError(code, 'Not now.', code === 'OUTCOME_UNKNOWN' ? { message_id: unclear } : {});
      };
      autoReply.respondToSends(respondWith('OUTCOME_UNKNOWN'), respondWith(last));
      await autoReply.receive(1, 'Hello');
      await eventually(async () => autoReply.sends.length === 1 && (await isWaiting(autoReply)));
      await harness.db.query('UPDATE auto_reply.replies SET failed_attempts = 3');
      expect(await endAfterPauses(autoReply)).toMatchObject({ state: 'failed', message_id: unclear, reason: `${last}: Not now.` });
      await harness.db.query('UPDATE auto_reply.replies SET due_at = now()');
      await eventually(async () => (await harness.published('ai.replied')).length === 1);
      expect((await autoReply.replies())[0]).toMatchObject({ state: 'replied', message_id: 'wamid.late', reason: null });
      expect((await harness.rpc.call(FindUnanswered, { business_id: 1, conversation_ids: [1] })).unanswered).toEqual([]);
      expect(autoReply.sends).toHaveLength(2);
    });
  }

  test('guarantees §10, N2: thousands of unclear replies of one business are queried a hundred at a time, and those of others apart', async ({
    harness,
    run,
  }) => {
    const queries: RequestOf<typeof FindSends>[] = [];
    harness.respond(FindSends, (query) => {
      queries.push(query);
      const send = { state: 'accepted' as const, to: '919876543001', at: '2026-11-28T10:00:00.000Z', failure_reason: null };
      return { sends: query.message_ids.map((id) => ({ ...send, message_id: `wamid.${id}` })) };
    });
    await harness.db.query(
      `INSERT INTO auto_reply.replies (business_id, inbound_message_id, conversation_id, customer, question, received_at, reply, message_id, state, ended_at)
       SELECT CASE n WHEN 301 THEN 2 ELSE 1 END, n::text, n, '919876543001', 'Hello', now(), 'Hi', 'gw_' || n, 'failed', now()
       FROM generate_series(1, 301) n`,
    );
    await run();
    const others = `SELECT FROM auto_reply.replies WHERE state <> 'replied' OR message_id <> 'wamid.gw_' || inbound_message_id`;
    await eventually(async () => (await harness.db.query(others)).length === 0);
    const sends = (id: number) => queries.filter(({ business_id }) => business_id === id).map(({ message_ids }) => message_ids.length);
    expect([sends(1).length <= 4, Math.max(...sends(1)), sends(2)]).toEqual([true, 100, [1]]);
  });

  /** A message arrives more than two minutes late, for example after an outage. */
  const receiveLate = (autoReply: AutoReplies, text = 'Hello') =>
    autoReply.receive(1, text, { at: new Date(Date.now() - 125_000).toISOString() });

  test('decision 243: is left for an agent without a try if it arrived too late', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    await receiveLate(autoReply);
    expect(await end(autoReply)).toMatchObject({ state: 'failed', reason: 'too late for an automatic reply', reply: null });
    expect(autoReply.model.calls).toEqual([]);
  });

  test('decision 727: is superseded by a newer message that arrived too late like itself', async (autoReply) => {
    await autoReply.waitForMore();
    const first = await autoReply.run();
    await autoReply.set({});
    await first.stop();
    for (const text of ['Hello', 'Hello?']) await receiveLate(autoReply, text);
    await autoReply.run();
    await eventually(async () => {
      expect(await autoReply.states()).toEqual({ Hello: 'skipped', 'Hello?': 'failed' });
      return true;
    });
  });

  test('decision 742: gets its reply although the send whose response was lost ends only after 100 seconds', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    autoReply.model.release();
    const respond = (code: ErrorCode) => () => {
      throw new GatewayError(code, 'Not now.');
    };
    autoReply.respondToSends(respond('DEADLINE_EXCEEDED'), ...Array<() => never>(7).fill(respond('IDEMPOTENCY_IN_FLIGHT')));
    await autoReply.receive(1, 'Hello');
    for (let sends = 1; sends <= 8; sends++) {
      await eventually(async () => {
        if (autoReply.sends.length < sends) await autoReply.endPauses();
        return autoReply.sends.length >= sends && (await isWaiting(autoReply));
      });
      await autoReply.advanceTime(13);
    }
    expect(await endAfterPauses(autoReply)).toMatchObject({ state: 'replied' });
    await eventually(async () => (await autoReply.harness.published('ai.replied')).length === 1);
  });

  test('decision 742: is left for an agent if its send is in flight for longer than any', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    autoReply.model.release();
    const inFlight = () => {
      throw new GatewayError('IDEMPOTENCY_IN_FLIGHT', 'Not now.');
    };
    autoReply.respondToSends(...Array<() => never>(8).fill(inFlight));
    await autoReply.receive(1, 'Hello');
    await eventually(async () => autoReply.sends.length === 1 && (await isWaiting(autoReply)));
    await autoReply.advanceTime(301);
    expect(await endAfterPauses(autoReply)).toMatchObject({ state: 'failed', reason: 'IDEMPOTENCY_IN_FLIGHT: Not now.' });
    expect(autoReply.sends).toHaveLength(4);
  });

  test('decision 243: gets no late reply that was composed in time', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    autoReply.model.release();
    autoReply.respondToSends(() => {
      throw new GatewayError('PLATFORM_UNAVAILABLE', 'Not now.');
    });
    await autoReply.receive(1, 'Hello');
    await eventually(async () => autoReply.sends.length === 1 && (await isWaiting(autoReply)));
    await autoReply.advanceTime(125);
    expect(await endAfterPauses(autoReply)).toMatchObject({ state: 'failed', reason: 'too late for an automatic reply' });
    expect(autoReply.sends).toHaveLength(1);
  });

  test('does not need an agent although it is late if one has replied', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({});
    autoReply.replyAsAgent(1);
    await receiveLate(autoReply);
    expect(await end(autoReply)).toMatchObject({ state: 'skipped', reason: 'an agent is active in this conversation' });
  });

  test('guarantees §10, N6: is taken over from a dead process long before its claim expires', async (autoReply) => {
    const victim = await autoReply.spawn();
    await autoReply.set({});
    await autoReply.receive(1, 'Hello');
    await called(autoReply, 1);
    await victim.kill('SIGKILL');
    await autoReply.run();
    await called(autoReply, 2);
    autoReply.model.release();
    expect(await end(autoReply)).toMatchObject({ state: 'replied' });
  });

  test('guarantees §10, N3: is set aside after it killed the process three times; others get replies', async (autoReply) => {
    for (let death = 1; death <= 3; death++) {
      const victim = await autoReply.spawn();
      if (death === 1) {
        await autoReply.set({});
        await autoReply.receive(1, 'Poison');
      }
      await called(autoReply, death);
      await victim.kill('SIGKILL');
    }
    autoReply.model.release();
    await autoReply.run();
    expect(await end(autoReply)).toMatchObject({ state: 'failed', reason: 'replying to this message stopped the service 3 times' });
    await autoReply.receive(2, 'Hello');
    await eventually(async () => (await autoReply.states())['Hello'] === 'replied');
    expect(autoReply.model.calls).toEqual(['Poison', 'Poison', 'Poison', 'Hello']);
  });
});
