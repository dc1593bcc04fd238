import { eventually } from '@mgw/testing';
import { startAutoReplies, type AutoReplies } from './auto-reply.fixture';

describe('spec §10: the daily limit of auto-reply', () => {
  let autoReply: AutoReplies;
  beforeEach(async () => (autoReply = await startAutoReplies()));
  afterEach(() => autoReply.harness.close());

  const became = (wanted: Record<string, string>) =>
    eventually(
      async () => {
        expect(await autoReply.states()).toEqual(wanted);
        return true;
      },
      // A second worker takes over a dead worker's questions after their claims expire.
      { timeoutMs: 20_000 },
    );

  it('holds when ten customers write to two replicas at once, for model calls and for replies', async () => {
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

  it('a failed reply releases its place under the limit', async () => {
    await autoReply.run();
    await autoReply.set({ daily_limit: 1 });
    await autoReply.receive(1, 'First');
    await eventually(() => autoReply.model.calls.length === 1);
    autoReply.model.fail('First');
    await became({ First: 'failed' });
    autoReply.model.release();
    await autoReply.receive(2, 'Second');
    await became({ First: 'failed', Second: 'replied' });
    await autoReply.receive(3, 'Third');
    await became({ First: 'failed', Second: 'replied', Third: 'skipped' });
  });

  it('a question keeps its place under the limit when its process dies', async () => {
    const victim = await autoReply.spawn();
    await autoReply.set({ daily_limit: 1 });
    await autoReply.receive(1, 'First');
    await eventually(() => autoReply.model.calls.length === 1);
    await victim.kill('SIGKILL');
    await autoReply.run();
    await autoReply.receive(2, 'Second');
    await became({ First: 'pending', Second: 'skipped' });
    autoReply.model.release();
    await autoReply.expireClaims();
    await became({ First: 'replied', Second: 'skipped' });
  });
});
