import { CircuitBreaker } from './circuit-breaker';

describe('the circuit of a number (guarantees §8: platform)', () => {
  let breaker: CircuitBreaker;
  const fail = (times: number, name = '700', now = 0) => {
    for (let i = 0; i < times; i++) breaker.note(name, false, now);
  };
  beforeEach(() => {
    breaker = new CircuitBreaker();
  });

  it('opens after ten failures in a row, for that number only', () => {
    fail(9);
    expect(breaker.allows('700', 0)).toBe(true);
    fail(1);
    expect(breaker.allows('700', 4_999)).toBe(false);
    expect(breaker.allows('701', 0)).toBe(true);
  });

  it('restarts the count after a clear response', () => {
    fail(9);
    breaker.note('700', true);
    fail(9);
    expect(breaker.allows('700', 0)).toBe(true);
  });

  it('admits one probe after the pause; its failure rejects calls again, its success admits all', () => {
    fail(10);
    expect([breaker.allows('700', 5_000), breaker.allows('700', 5_001)]).toEqual([true, false]);
    breaker.note('700', false, 6_000);
    expect(breaker.allows('700', 10_999)).toBe(false);
    expect(breaker.allows('700', 11_000)).toBe(true);
    breaker.note('700', true, 11_010);
    expect([breaker.allows('700', 11_011), breaker.allows('700', 11_011)]).toEqual([true, true]);
  });

  it('admits another probe when one never ends', () => {
    fail(10);
    expect(breaker.allows('700', 5_000)).toBe(true);
    expect(breaker.allows('700', 10_000)).toBe(true);
  });
});
