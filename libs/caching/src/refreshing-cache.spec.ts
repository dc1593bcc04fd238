import { AsyncLocalStorage } from 'node:async_hooks';
import { RefreshingCache, type RefreshingCacheOptions } from './refreshing-cache';

/** An announced change takes effect at once, any other within five seconds (guarantees §9). */
describe('refreshing cache', () => {
  let loads: string[][];
  let version: number;
  let respond: (requests: string[]) => Promise<string[]>;
  beforeEach(() => {
    jest.useFakeTimers();
    loads = [];
    version = 1;
    respond = async (requests) => requests.map((request) => `${request}${version}`);
  });
  afterEach(() => jest.useRealTimers());

  const open = (options: Partial<RefreshingCacheOptions<string, string, undefined>> = {}) => {
    const cache = new RefreshingCache<string, string>({
      load: (requests) => {
        loads.push(requests);
        return respond(requests);
      },
      ...options,
    });
    return { get: (key: string) => cache.get(key, () => key), invalidate: (key: string) => cache.invalidate((each) => each === key) };
  };
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('shares one load between all callers, and serves its value for five seconds', async () => {
    const { get } = open();
    expect(await Promise.all([get('a'), get('a'), get('a')])).toEqual(['a1', 'a1', 'a1']);
    version = 2;
    await pass(4_999);
    expect(await get('a')).toBe('a1');
    await pass(1);
    expect(await get('a')).toBe('a2');
    expect(loads).toEqual([['a'], ['a']]);
  });

  it('counts the five seconds from the start of the load', async () => {
    const { get } = open();
    respond = async (requests) => pass(3_000).then(() => requests);
    await get('a');
    await pass(2_000);
    respond = async () => ['new'];
    expect(await get('a')).toBe('new');
  });

  it('refreshes values in constant use together, before they expire', async () => {
    const { get } = open();
    for (const key of ['a', 'b', 'c', 'unused']) await get(key);
    await pass(3_000);
    for (const key of ['a', 'b', 'c']) await get(key);
    version = 2;
    await pass(1_000);
    expect(loads.slice(4)).toEqual([['a', 'b', 'c']]);
    await pass(3_500);
    expect(await Promise.all(['a', 'b', 'c'].map(get))).toEqual(['a2', 'b2', 'c2']);
    await pass(1_000);
    expect(loads.slice(5)).toEqual([['a', 'b', 'c']]);
  });

  it('refreshes at most a hundred values in one load', async () => {
    const { get } = open();
    const keys = Array.from({ length: 250 }, (_, i) => String(i));
    await Promise.all(keys.map(get));
    await pass(3_000);
    await Promise.all(keys.map(get));
    await pass(1_000);
    expect(loads.slice(250).map((requests) => requests.length)).toEqual([100, 100, 50]);
  });

  it('does not cache a load that began before an announced change', async () => {
    const { get, invalidate } = open();
    await get('a');
    await pass(3_000);
    await get('a');
    respond = async (requests) => {
      invalidate('a');
      return requests.map(() => 'old');
    };
    await pass(1_000);
    version = 2;
    respond = async (requests) => requests.map((request) => `${request}${version}`);
    expect(await get('a')).toBe('a2');
    invalidate('a');
    const [first] = [get('a'), invalidate('a')];
    version = 3;
    expect([await first, await get('a')]).toEqual(['a2', 'a3']);
  });

  it('serves the newer value when an older load fails', async () => {
    const { get, invalidate } = open({ serveStaleOnError: true });
    await get('a');
    await pass(5_000);
    let fail: (error: Error) => void = () => {};
    respond = () => new Promise((_, reject) => (fail = reject));
    const first = get('a');
    invalidate('a');
    respond = async () => ['new'];
    expect(await get('a')).toBe('new');
    fail(new Error('away'));
    expect(await first).toBe('new');
  });

  it('holds at most 16 MiB of values (guarantees §10, N1)', async () => {
    const { get } = open({ sizeOf: () => 6 * 1024 ** 2 });
    for (const key of ['a', 'b', 'c']) await get(key);
    await get('c');
    await get('b');
    await get('a');
    expect(loads).toEqual([['a'], ['b'], ['c'], ['a']]);
  });

  it('ignores changes of the system clock', async () => {
    const { get } = open();
    await get('a');
    version = 2;
    jest.setSystemTime(Date.now() - 600_000);
    await pass(5_000);
    expect(await get('a')).toBe('a2');
  });

  it('refreshes outside the trace of the caller', async () => {
    const trace = new AsyncLocalStorage<string>();
    const { get } = open();
    await get('a');
    await pass(3_000);
    const traces: (string | undefined)[] = [];
    const set = globalThis.setTimeout;
    // A timer runs in the trace of the code that sets it.
    const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation((run, ms) => {
      traces.push(trace.getStore());
      return set(run, ms);
    });
    await trace.run('a send', () => get('a'));
    timers.mockRestore();
    await pass(1_000);
    expect([traces, loads.length]).toEqual([[undefined], 2]);
  });

  it('loads each value on use after a refresh failed', async () => {
    const { get } = open();
    await get('a');
    await pass(3_000);
    await get('a');
    respond = () => Promise.reject(new Error('away'));
    await pass(1_000);
    expect(await get('a')).toBe('a1');
    await pass(1_500);
    await expect(get('a')).rejects.toThrow('away');
  });

  it('serves a stale value for a minute while loads fail, if the option is set', async () => {
    const { get, invalidate } = open({ serveStaleOnError: true });
    await get('a');
    respond = () => Promise.reject(new Error('away'));
    await pass(30_000);
    expect(await get('a')).toBe('a1');
    invalidate('a');
    expect(await get('a')).toBe('a1');
    await pass(30_001);
    await expect(get('a')).rejects.toThrow('away');
  });

  it('loads a value that is not cacheable each time, and drops the cached one', async () => {
    const { get } = open({ isCacheable: (each) => !each.startsWith('none') });
    respond = async () => ['none'];
    expect([await get('none'), await get('none')]).toEqual(['none', 'none']);
    respond = async (requests) => requests;
    await get('a');
    await pass(3_000);
    await get('a');
    respond = async () => ['none'];
    await pass(1_000);
    expect(await get('a')).toBe('none');
    expect(loads).toHaveLength(5);
  });
});
