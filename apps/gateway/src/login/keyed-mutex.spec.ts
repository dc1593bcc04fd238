import { KeyedMutex } from './keyed-mutex';

describe('KeyedMutex', () => {
  it('runs work for one key sequentially, even after a failure, and for other keys concurrently', async () => {
    const turns = new KeyedMutex();
    const seen: string[] = [];
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const first = turns.runExclusive('a', async () => {
      await gate;
      seen.push('a1');
      throw new Error('fails');
    });
    const second = turns.runExclusive('a', () => Promise.resolve(seen.push('a2')));
    await turns.runExclusive('b', () => Promise.resolve(seen.push('b')));
    release();
    await expect(first).rejects.toThrow('fails');
    await second;
    expect(seen).toEqual(['b', 'a1', 'a2']);
  });

  it('refuses the 21st caller instead of queueing it', async () => {
    const turns = new KeyedMutex();
    const waiting = Array.from({ length: 20 }, () => turns.runExclusive('a', () => Promise.resolve()));
    await expect(turns.runExclusive('a', () => Promise.resolve())).rejects.toMatchObject({ error_code: 'RATE_LIMITED' });
    await Promise.all(waiting);
    await expect(turns.runExclusive('a', () => Promise.resolve(1))).resolves.toBe(1);
  });
});
