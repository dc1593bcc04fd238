import { Load } from './load';

describe('the pause under load', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** @returns the last pause */
  const steadily = (load: Load, perSecond: number, seconds: number): number => {
    let pause = 0;
    for (let at = 0; at < seconds * 1_000; at += 10) {
      jest.advanceTimersByTime(10);
      pause = load.pauseAfter(perSecond / 100);
    }
    return pause;
  };

  it('is zero at a steady rate below the limit, and for a burst', () => {
    const load = new Load();
    expect(steadily(load, 700, 20)).toBe(0);
    expect(load.pauseAfter(15)).toBe(0);
  });

  it('grows with the rate beyond the limit, up to a maximum', () => {
    const load = new Load();
    expect(load.pauseAfter(30)).toBe(15.625);
    expect(load.pauseAfter(30)).toBe(31.25);
    expect(steadily(load, 2_000, 5)).toBe(50);
  });

  it('begins at a lower rate for latency-tolerant work', () => {
    expect(steadily(new Load({ latencyTolerant: true }), 90, 20)).toBe(0);
    expect(steadily(new Load({ latencyTolerant: true }), 700, 5)).toBe(50);
  });

  it('ends soon after the load', () => {
    const load = new Load();
    steadily(load, 5_000, 5);
    jest.advanceTimersByTime(150);
    expect(load.pauseAfter(1)).toBe(0);
  });
});
