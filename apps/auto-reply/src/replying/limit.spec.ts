import { eventually } from '@mgw/testing';
import { startAnswering, type Answering } from './answering.fixture';

describe('the daily limit of auto-reply (product §2, daily_limit)', () => {
  let answering: Answering;
  beforeEach(async () => (answering = await startAnswering()));
  afterEach(() => answering.harness.close());

  const became = (wanted: Record<string, string>) =>
    eventually(
      async () => {
        expect(await answering.ends()).toEqual(wanted);
        return true;
      },
      // Of whom died another takes over after its lease.
      { timeoutMs: 20_000 },
    );

  it('is kept when ten customers write at once to two replicas: the model is asked and the customers are answered that often', async () => {
    for (let replica = 0; replica < 2; replica++) await answering.run();
    await answering.set({ daily_limit: 2 });
    await Promise.all(Array.from({ length: 10 }, (_, i) => answering.writes(i + 1, `Question ${i + 1}`)));
    const skipped = async () => (await answering.replies()).filter(({ state }) => state === 'skipped');
    await eventually(async () => answering.model.asked.length + (await skipped()).length === 10);
    expect(answering.model.asked).toHaveLength(2);
    answering.model.release();
    await eventually(async () => !Object.values(await answering.ends()).includes('pending'));
    expect(answering.sends).toHaveLength(2);
    expect((await skipped()).map(({ reason }) => reason)).toEqual(Array(8).fill('the daily limit is reached'));
  });

  it('a reply that was not made leaves its place to another', async () => {
    await answering.run();
    await answering.set({ daily_limit: 1 });
    await answering.writes(1, 'First');
    await eventually(() => answering.model.asked.length === 1);
    answering.model.fail('First');
    await became({ First: 'failed' });
    answering.model.release();
    await answering.writes(2, 'Second');
    await became({ First: 'failed', Second: 'replied' });
    await answering.writes(3, 'Third');
    await became({ First: 'failed', Second: 'replied', Third: 'skipped' });
  });

  it('the place of a process that died goes to who takes its question over', async () => {
    const victim = await answering.spawn();
    await answering.set({ daily_limit: 1 });
    await answering.writes(1, 'First');
    await eventually(() => answering.model.asked.length === 1);
    await victim.kill('SIGKILL');
    await answering.run();
    await answering.writes(2, 'Second');
    await became({ First: 'pending', Second: 'skipped' });
    answering.model.release();
    await answering.leasesEnd();
    await became({ First: 'replied', Second: 'skipped' });
  });
});
