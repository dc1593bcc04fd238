import { RefreshedValue } from './refreshed-value';

describe('refreshed value', () => {
  let loads: number;
  let load: () => Promise<number>;
  let value: RefreshedValue<number>;
  const stale = jest.fn();
  beforeEach(() => {
    jest.useFakeTimers();
    loads = 0;
    load = async () => (loads += 1);
    value = new RefreshedValue({ load: () => load(), onStale: stale });
    stale.mockClear();
  });
  afterEach(() => jest.useRealTimers());
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('loads once for all callers, and again after five seconds or the age that the caller accepts', async () => {
    expect(await Promise.all([value.get(), value.get()])).toEqual([1, 1]);
    await pass(1_500);
    expect([await value.get(), await value.get(1_000)]).toEqual([1, 2]);
    await pass(5_001);
    expect(await value.get()).toBe(3);
  });

  it('loads after an announced change, and does not cache a load that began before it', async () => {
    let finish: (n: number) => void = () => undefined;
    load = () => new Promise((resolve) => (finish = resolve));
    const before = value.get();
    value.invalidate();
    load = async () => 7;
    expect(await value.get()).toBe(7);
    finish(6);
    expect([await before, await value.get()]).toEqual([6, 7]);
  });

  it('serves the last value while loads fail, and retries after a second', async () => {
    await value.get();
    let failures = 0;
    load = () => Promise.reject(new Error(`unavailable ${(failures += 1)}`));
    await pass(6_000);
    expect([await value.get(), await value.get(), failures]).toEqual([1, 1, 1]);
    expect(stale).toHaveBeenCalledTimes(1);
    await pass(1_000);
    expect([await value.get(), failures]).toEqual([1, 2]);
  });

  it('serves the last value while a load takes longer than callers wait, and caches its result', async () => {
    let finish: (n: number) => void = () => undefined;
    load = () => new Promise((resolve) => (finish = resolve));
    value = new RefreshedValue({ load: () => load(), onStale: stale, maxWaitMs: 500 });
    const first = value.get();
    await pass(600);
    finish(1);
    expect(await first).toBe(1);
    await pass(5_001);
    const answered: number[] = [];
    const get = () => void value.get().then((n) => answered.push(n));
    get();
    await pass(499);
    expect(answered).toEqual([]);
    await pass(1);
    // No caller waits for the same load again.
    await pass(2_000);
    get();
    await pass(0);
    expect([answered, stale.mock.calls.length]).toEqual([[1, 1], 2]);
    finish(2);
    await pass(0);
    get();
    await pass(0);
    expect(answered).toEqual([1, 1, 2]);
  });

  it('fails if it never loaded', async () => {
    load = () => Promise.reject(new Error('away'));
    await expect(value.get()).rejects.toThrow('away');
  });
});
