import { Turns } from './turns';

describe('turns', () => {
  it('runs work for one key one after another, also after a failure, and other keys side by side', async () => {
    const turns = new Turns();
    const seen: string[] = [];
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const first = turns.inTurn('a', async () => {
      await gate;
      seen.push('a1');
      throw new Error('fails');
    });
    const second = turns.inTurn('a', () => Promise.resolve(seen.push('a2')));
    await turns.inTurn('b', () => Promise.resolve(seen.push('b')));
    release();
    await expect(first).rejects.toThrow('fails');
    await second;
    expect(seen).toEqual(['b', 'a1', 'a2']);
  });

  it('turns away the 21st caller instead of queueing it', async () => {
    const turns = new Turns();
    const waiting = Array.from({ length: 20 }, () => turns.inTurn('a', () => Promise.resolve()));
    await expect(turns.inTurn('a', () => Promise.resolve())).rejects.toMatchObject({ error_code: 'OVERLOADED' });
    await Promise.all(waiting);
    await expect(turns.inTurn('a', () => Promise.resolve(1))).resolves.toBe(1);
  });
});
