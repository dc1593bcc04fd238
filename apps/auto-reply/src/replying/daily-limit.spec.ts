import { FindUnanswered, GatewayError, GetAutoReply } from '@mgw/contracts';
import { eventually, sideBySide } from '@mgw/testing';
import { startAutoReplies, type AutoReplies } from './auto-reply.fixture';

const test = sideBySide(startAutoReplies, ({ harness }) => harness.close());

describe('spec §10: the daily limit of auto-reply', () => {
  const became = (autoReply: AutoReplies, wanted: Record<string, string>) =>
    // A second worker takes over a dead worker's questions after their claims expire.
    eventually(async () => {
      expect(await autoReply.states()).toEqual(wanted);
      return true;
    });

  test('holds when ten customers write to two replicas at once, for model calls and for replies', async (autoReply) => {
    for (let replica = 0; replica < 2; replica++) await autoReply.run();
    await autoReply.set({ daily_limit: 2 });
    await Promise.all(Array.from({ length: 10 }, (_, i) => autoReply.receive(i + 1, `Question ${i + 1}`)));
    const skipped = async () => (await autoReply.replies()).filter(({ state }) => state === 'skipped');
    await eventually(async () => autoReply.model.calls.length + (await skipped()).length === 10);
    expect(autoReply.model.calls).toHaveLength(2);
    autoReply.model.release();
    await eventually(async () => !Object.values(await autoReply.states()).includes('pending'));
    expect(autoReply.sends).toHaveLength(2);
    expect((await skipped()).map(({ reason }) => reason)).toEqual(Array(8).fill('the daily limit is reached'));
  });

  test('decision 524: the cost of a day is a limit too, for two replicas at once, and no rate is no reply', async (autoReply) => {
    for (let replica = 0; replica < 2; replica++) await autoReply.run();
    autoReply.model.release();
    autoReply.moveTo('Asia/Kolkata');
    await autoReply.set({ daily_cost_limit: '0.35' });
    await Promise.all(Array.from({ length: 8 }, (_, i) => autoReply.receive(i + 1, `Question ${i + 1}`)));
    await eventually(async () => {
      const states = Object.values(await autoReply.states());
      return states.length === 8 && !states.includes('pending');
    });
    expect(autoReply.sends).toHaveLength(3);
    const reasons = async () => (await autoReply.replies()).flatMap(({ state, reason }) => (state === 'skipped' ? [reason] : []));
    expect(await reasons()).toEqual(Array(5).fill('the cost limit of the day is reached'));
    const { harness } = autoReply;
    const settings = () => harness.rpc.call(GetAutoReply, { business_id: 1 });
    expect(await settings()).toMatchObject({ daily_cost_limit: '0.35', counted_today: '0.3' });
    // A day of the zone later nothing is counted.
    await harness.db.query(
      `UPDATE auto_reply.replies SET reserved_at = date_trunc('day', now() AT TIME ZONE 'Asia/Kolkata') AT TIME ZONE 'Asia/Kolkata' - interval '1 second'`,
    );
    expect(await settings()).toMatchObject({ counted_today: '0' });
    autoReply.rate.price = null;
    await autoReply.receive(9, 'Without a rate');
    await eventually(async () => (await autoReply.states())['Without a rate'] === 'skipped');
    expect((await reasons())[0]).toContain('no rate');
    await autoReply.set({ daily_cost_limit: null });
    await autoReply.receive(10, 'Without a limit');
    await eventually(async () => (await autoReply.states())['Without a limit'] === 'replied');
  });

  test('decision 705: counts the cost of the day in the time zone of now, not in that of the last saving', async (autoReply) => {
    await autoReply.run();
    autoReply.model.release();
    const { harness } = autoReply;
    const counted = async () => (await harness.rpc.call(GetAutoReply, { business_id: 1 })).counted_today;
    const zones = await harness.db.query<{ zone: string; starts: Date }>(
      `SELECT zone, date_trunc('day', now() AT TIME ZONE zone) AT TIME ZONE zone AS starts
       FROM unnest(ARRAY['Pacific/Honolulu', 'Asia/Kolkata']) AS zone ORDER BY starts DESC`,
    );
    const [later, earlier] = zones as [(typeof zones)[number], (typeof zones)[number]];
    autoReply.moveTo(later.zone);
    await autoReply.set({ daily_cost_limit: '0.1' });
    await autoReply.receive(1, 'First');
    await became(autoReply, { First: 'replied' });
    // Before the day in one zone, and in the day of the other.
    await harness.db.query(`UPDATE auto_reply.replies SET reserved_at = $1::timestamptz - interval '1 second'`, [later.starts]);
    expect(await counted()).toBe('0');
    autoReply.moveTo(earlier.zone);
    expect(await counted()).toBe('0.1');
    await autoReply.receive(2, 'Second');
    await became(autoReply, { First: 'replied', Second: 'skipped' });
    autoReply.moveTo(later.zone);
    await autoReply.receive(3, 'Third');
    await became(autoReply, { First: 'replied', Second: 'skipped', Third: 'replied' });
  });

  test('a failed reply releases its place under the limit', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({ daily_limit: 1 });
    await autoReply.receive(1, 'First');
    await eventually(() => autoReply.model.calls.length === 1);
    autoReply.model.fail('First');
    await became(autoReply, { First: 'failed' });
    autoReply.model.release();
    await autoReply.receive(2, 'Second');
    await became(autoReply, { First: 'failed', Second: 'replied' });
    await autoReply.receive(3, 'Third');
    await became(autoReply, { First: 'failed', Second: 'replied', Third: 'skipped' });
  });

  for (const replies of [false, true]) {
    const when = replies ? 'when the model has replied to the one before' : 'while the model is still busy with the one before';
    test(`decision 716: three calls of the model for messages in a row count once, a fourth counts again, ${when}`, async (autoReply) => {
      const then = (before: string) => replies && autoReply.model.reply(before);
      await autoReply.waitForMore();
      await autoReply.run();
      await autoReply.set({ daily_limit: 1 });
      await autoReply.receive(1, 'a');
      await autoReply.isModelCalled('a');
      for (const [before, question] of [
        ['a', 'b'],
        ['b', 'c'],
      ] as const) {
        await autoReply.receive(1, question);
        await eventually(async () => question in (await autoReply.states()));
        then(before);
        await autoReply.isModelCalled(question);
      }
      await autoReply.receive(1, 'd');
      await eventually(async () => 'd' in (await autoReply.states()));
      then('c');
      expect(await autoReply.ended('d')).toMatchObject({ state: 'skipped', reason: 'the daily limit is reached' });
      autoReply.model.release();
      for (const superseded of ['a', 'b', 'c']) expect(await autoReply.ended(superseded)).toMatchObject({ state: 'skipped' });
      expect(autoReply.model.calls).toEqual(['a', 'b', 'c']);
      expect(autoReply.sends).toEqual([]);
    });
  }

  test('decision 716: questions that were superseded cost nothing, although the model was called', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({ daily_cost_limit: '0.1' });
    for (const question of ['a', 'b', 'c', 'd']) {
      await autoReply.receive(1, question);
      await autoReply.isModelCalled(question);
    }
    autoReply.model.release();
    await became(autoReply, { a: 'skipped', b: 'skipped', c: 'skipped', d: 'replied' });
  });

  test('decision 716: the model is called once for messages within two seconds of each other', async (autoReply) => {
    await autoReply.waitForMore();
    await autoReply.run();
    await autoReply.set({});
    autoReply.model.release();
    await autoReply.receive(1, 'Hello');
    expect(await autoReply.ended('Hello')).toMatchObject({ state: 'replied' });
    const [first] = await autoReply.harness.db.query(
      `SELECT reserved_at >= created_at + interval '2 seconds' AS waited FROM auto_reply.replies`,
    );
    expect(first).toEqual({ waited: true });
  });

  test('decision 716: one conversation gets half of the daily limit at most', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({ daily_limit: 4 });
    autoReply.model.release();
    const asks = async (customer: number, question: string) => {
      await autoReply.receive(customer, question);
      return autoReply.ended(question);
    };
    for (const question of ['1', '2']) expect(await asks(1, question)).toMatchObject({ state: 'replied' });
    expect(await asks(1, '3')).toMatchObject({ state: 'skipped', reason: 'this conversation has used half of the daily limit' });
    for (const question of ['4', '5']) expect(await asks(2, question)).toMatchObject({ state: 'replied' });
    expect(await asks(3, '6')).toMatchObject({ state: 'skipped', reason: 'the daily limit is reached' });
  });

  test('decision 716: a question that a limit refuses needs an agent', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({ daily_limit: 2 });
    autoReply.model.release();
    const unanswered = async () =>
      (await autoReply.harness.rpc.call(FindUnanswered, { business_id: 1, conversation_ids: [1, 2] })).unanswered;
    await autoReply.receive(1, 'First');
    await autoReply.ended('First');
    expect(await unanswered()).toEqual([]);
    await autoReply.receive(1, 'Second');
    await autoReply.ended('Second');
    expect(await unanswered()).toEqual([{ conversation_id: 1, reason: 'this conversation has used half of the daily limit' }]);
    autoReply.replyAsAgent(1);
    await autoReply.receive(1, 'Third');
    expect(await autoReply.ended('Third')).toMatchObject({ state: 'skipped', reason: 'an agent is active in this conversation' });
    expect(await unanswered()).toEqual([]);
  });

  for (const state of ['replied', 'failed']) {
    test(`decision 716: the model is called 30 times an hour at most for one conversation, even if its questions ${state}`, async (autoReply) => {
      await autoReply.run();
      await autoReply.set({});
      await autoReply.receive(1, 'First');
      await autoReply.isModelCalled('First');
      if (state === 'failed') autoReply.model.fail('First');
      else autoReply.model.release();
      expect(await autoReply.ended('First')).toMatchObject({ state });
      const { db } = autoReply.harness;
      await db.query('UPDATE auto_reply.replies SET model_calls = model_calls + 29');
      autoReply.model.release();
      await autoReply.receive(1, 'One too many');
      await autoReply.receive(2, 'Hello');
      expect(await autoReply.ended('One too many')).toMatchObject({
        state: 'skipped',
        reason: 'this conversation has used its calls of the model for this hour',
      });
      expect(await autoReply.ended('Hello')).toMatchObject({ state: 'replied' });
      await db.query(`UPDATE auto_reply.replies SET called_at = called_at - interval '1 hour'`);
      await autoReply.receive(1, 'An hour later');
      expect(await autoReply.ended('An hour later')).toMatchObject({ state: 'replied' });
    });
  }

  test('decision 726: a reply that could not be sent keeps its place under the daily limit, but costs nothing', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({ daily_limit: 1 });
    autoReply.model.release();
    autoReply.respondToSends(() => {
      throw new GatewayError('NOT_CONNECTED', 'No connection.');
    });
    await autoReply.receive(1, 'First');
    expect(await autoReply.ended('First')).toMatchObject({ state: 'failed', reason: 'NOT_CONNECTED: No connection.' });
    await autoReply.receive(2, 'Second');
    expect(await autoReply.ended('Second')).toMatchObject({ state: 'skipped', reason: 'the daily limit is reached' });
    expect(autoReply.model.calls).toEqual(['First']);
    expect(await autoReply.harness.rpc.call(GetAutoReply, { business_id: 1 })).toMatchObject({ counted_today: '0' });
  });

  test('decision 726: a reply that is no longer due once the model has replied keeps its place under the daily limit', async (autoReply) => {
    await autoReply.run();
    await autoReply.set({ daily_limit: 1 });
    await autoReply.receive(1, 'First');
    await autoReply.isModelCalled('First');
    autoReply.replyAsAgent(1);
    autoReply.model.release();
    expect(await autoReply.ended('First')).toMatchObject({ state: 'skipped', reason: 'an agent is active in this conversation' });
    await autoReply.receive(2, 'Second');
    expect(await autoReply.ended('Second')).toMatchObject({ state: 'skipped', reason: 'the daily limit is reached' });
  });

  test('a question keeps its place under the limit when its process dies', async (autoReply) => {
    const victim = await autoReply.spawn();
    await autoReply.set({ daily_limit: 1 });
    await autoReply.receive(1, 'First');
    await eventually(() => autoReply.model.calls.length === 1);
    await victim.kill('SIGKILL');
    await autoReply.run();
    await autoReply.receive(2, 'Second');
    await became(autoReply, { First: 'pending', Second: 'skipped' });
    autoReply.model.release();
    await autoReply.expireClaims();
    await became(autoReply, { First: 'replied', Second: 'skipped' });
  });
});
