import { AsyncLocalStorage } from 'node:async_hooks';
import { RefreshingCache, type RefreshingCacheOptions } from './refreshing-cache';

/** Announcements end an answer at once; without one it is believed for five seconds (guarantees §9). */
describe('held answers', () => {
  let asked: string[][];
  let version: number;
  let answer: (questions: string[]) => Promise<string[]>;
  beforeEach(() => {
    jest.useFakeTimers();
    asked = [];
    version = 1;
    answer = async (questions) => questions.map((question) => `${question}${version}`);
  });
  afterEach(() => jest.useRealTimers());

  const holding = (options: Partial<RefreshingCacheOptions<string, string, undefined>> = {}) => {
    const held = new RefreshingCache<string, string>({
      load: (questions) => {
        asked.push(questions);
        return answer(questions);
      },
      ...options,
    });
    return { get: (key: string) => held.get(key, () => key), forget: (key: string) => held.invalidate((each) => each === key) };
  };
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('one question for all who wait, and none for five seconds', async () => {
    const { get } = holding();
    expect(await Promise.all([get('a'), get('a'), get('a')])).toEqual(['a1', 'a1', 'a1']);
    version = 2;
    await pass(4_999);
    expect(await get('a')).toBe('a1');
    await pass(1);
    expect(await get('a')).toBe('a2');
    expect(asked).toEqual([['a'], ['a']]);
  });

  it('five seconds from the question, however long the answer took', async () => {
    const { get } = holding();
    answer = async (questions) => pass(3_000).then(() => questions);
    await get('a');
    await pass(2_000);
    answer = async () => ['new'];
    expect(await get('a')).toBe('new');
  });

  it('what is in constant use is asked for together, before it ends', async () => {
    const { get } = holding();
    for (const key of ['a', 'b', 'c', 'unused']) await get(key);
    await pass(3_000);
    for (const key of ['a', 'b', 'c']) await get(key);
    version = 2;
    await pass(1_000);
    expect(asked.slice(4)).toEqual([['a', 'b', 'c']]);
    await pass(3_500);
    expect(await Promise.all(['a', 'b', 'c'].map(get))).toEqual(['a2', 'b2', 'c2']);
    await pass(1_000);
    expect(asked.slice(5)).toEqual([['a', 'b', 'c']]);
  });

  it('at most a hundred in one question', async () => {
    const { get } = holding();
    const keys = Array.from({ length: 250 }, (_, i) => String(i));
    await Promise.all(keys.map(get));
    await pass(3_000);
    await Promise.all(keys.map(get));
    await pass(1_000);
    expect(asked.slice(250).map((questions) => questions.length)).toEqual([100, 100, 50]);
  });

  it('a change that is announced while an answer is under way is not undone by it', async () => {
    const { get, forget } = holding();
    await get('a');
    await pass(3_000);
    await get('a');
    answer = async (questions) => {
      forget('a');
      return questions.map(() => 'old');
    };
    await pass(1_000);
    version = 2;
    answer = async (questions) => questions.map((question) => `${question}${version}`);
    expect(await get('a')).toBe('a2');
    forget('a');
    const [first] = [get('a'), forget('a')];
    version = 3;
    expect([await first, await get('a')]).toEqual(['a2', 'a3']);
  });

  it('a question that fails brings back nothing that was replaced meanwhile', async () => {
    const { get, forget } = holding({ serveStaleOnError: true });
    await get('a');
    await pass(5_000);
    let fail: (error: Error) => void = () => {};
    answer = () => new Promise((_, reject) => (fail = reject));
    const first = get('a');
    forget('a');
    answer = async () => ['new'];
    expect(await get('a')).toBe('new');
    fail(new Error('away'));
    expect(await first).toBe('new');
  });

  it('a change of the clock makes no answer older or younger', async () => {
    const { get } = holding();
    await get('a');
    version = 2;
    jest.setSystemTime(Date.now() - 600_000);
    await pass(5_000);
    expect(await get('a')).toBe('a2');
  });

  it("what is confirmed belongs to nobody's trace", async () => {
    const trace = new AsyncLocalStorage<string>();
    const { get } = holding();
    await get('a');
    await pass(3_000);
    const traces: (string | undefined)[] = [];
    const set = globalThis.setTimeout;
    // Whoever sets a timer is whose trace it runs in.
    const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation((run, ms) => {
      traces.push(trace.getStore());
      return set(run, ms);
    });
    await trace.run('a send', () => get('a'));
    timers.mockRestore();
    await pass(1_000);
    expect([traces, asked.length]).toEqual([[undefined], 2]);
  });

  it('when nobody can be asked together, each is asked for when it is needed', async () => {
    const { get } = holding();
    await get('a');
    await pass(3_000);
    await get('a');
    answer = () => Promise.reject(new Error('away'));
    await pass(1_000);
    expect(await get('a')).toBe('a1');
    await pass(1_500);
    await expect(get('a')).rejects.toThrow('away');
  });

  it('an old answer stands in for one that cannot be had, where that is wanted, for so long', async () => {
    const { get, forget } = holding({ serveStaleOnError: true });
    await get('a');
    answer = () => Promise.reject(new Error('away'));
    await pass(30_000);
    expect(await get('a')).toBe('a1');
    forget('a');
    expect(await get('a')).toBe('a1');
    await pass(30_001);
    await expect(get('a')).rejects.toThrow('away');
  });

  it('an answer that is not worth holding is asked for each time, and ends what was held', async () => {
    const { get } = holding({ isCacheable: (each) => !each.startsWith('none') });
    answer = async () => ['none'];
    expect([await get('none'), await get('none')]).toEqual(['none', 'none']);
    answer = async (questions) => questions;
    await get('a');
    await pass(3_000);
    await get('a');
    answer = async () => ['none'];
    await pass(1_000);
    expect(await get('a')).toBe('none');
    expect(asked).toHaveLength(5);
  });
});
