import { FindUnanswered } from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import { startAnswering, type Answering } from './answering.fixture';

describe('a question whose model does not answer (guarantees §8)', () => {
  let answering: Answering;
  beforeEach(async () => (answering = await startAnswering()));
  afterEach(() => answering.harness.close());

  const asked = (times: number) => eventually(() => answering.model.asked.length === times);
  const end = () => eventually(async () => (await answering.replies()).find(({ state }) => state !== 'pending'));
  /** Until the question is asked once more than before. */
  const askedAgain = async () => {
    const before = answering.model.asked.length;
    await eventually(async () => {
      await answering.pausesEnd();
      return answering.model.asked.length > before;
    });
  };

  it.each([500, 429, 408])(
    'is asked again after %d, more often than a send is tried, and answered when the model is back',
    async (status) => {
      await answering.run();
      await answering.set({});
      await answering.writes(1, 'Hello');
      await asked(1);
      for (let failures = 0; failures < 5; failures++) {
        answering.model.fail('Hello', status);
        await askedAgain();
      }
      answering.model.release();
      expect(await end()).toMatchObject({ state: 'replied', reply: 'About: Hello' });
      expect(answering.sends).toHaveLength(1);
    },
  );

  it('is left for an agent two minutes after it came, with the reason', async () => {
    await answering.run();
    await answering.set({});
    await answering.writes(1, 'Hello');
    await asked(1);
    await answering.pass(119);
    answering.model.fail('Hello', 503);
    expect(await end()).toMatchObject({ state: 'failed', reason: 'the model answered 503', reply: null });
    const unanswered = async (business_id = 1) =>
      (await answering.harness.rpc.call(FindUnanswered, { business_id, conversation_ids: [1, 2] })).unanswered;
    expect(await unanswered()).toEqual([{ conversation_id: 1, reason: 'the model answered 503' }]);
    expect(await unanswered(2)).toEqual([]);
    // A newer question is under way.
    await answering.writes(1, 'Hello?');
    await asked(2);
    expect(await unanswered()).toEqual([]);
    answering.model.release();
  });

  it('is left for an agent at once when the model refuses', async () => {
    await answering.run();
    await answering.set({});
    await answering.writes(1, 'Hello');
    await asked(1);
    answering.model.fail('Hello', 401);
    expect(await end()).toMatchObject({ state: 'failed', reason: 'the model answered 401' });
  });

  it('guarantees §10, N6: is taken over from a process that died, long before its lease ends', async () => {
    const victim = await answering.spawn();
    await answering.set({});
    await answering.writes(1, 'Hello');
    await asked(1);
    await victim.kill('SIGKILL');
    await answering.run();
    await asked(2);
    answering.model.release();
    expect(await end()).toMatchObject({ state: 'replied' });
  });

  it('guarantees §10, N3: is set aside when the process died three times over it; others are answered', async () => {
    for (let death = 1; death <= 3; death++) {
      const victim = await answering.spawn();
      if (death === 1) {
        await answering.set({});
        await answering.writes(1, 'Poison');
      }
      await asked(death);
      await victim.kill('SIGKILL');
    }
    answering.model.release();
    await answering.run();
    expect(await end()).toMatchObject({ state: 'failed', reason: 'answering this message stopped the service 3 times' });
    await answering.writes(2, 'Hello');
    await eventually(async () => (await answering.ends())['Hello'] === 'replied');
    expect(answering.model.asked).toEqual(['Poison', 'Poison', 'Poison', 'Hello']);
  });
});
