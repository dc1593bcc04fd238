import { Shares, type Release } from './index';

const NO_WAIT = 0;
const LONG = 60_000;

/** Takes places until the share is used. @returns their releases */
function fill(shares: Shares, holder: string): Release[] {
  const taken: Release[] = [];
  for (let release = shares.tryTake(holder); release !== null; release = shares.tryTake(holder)) taken.push(release);
  return taken;
}

describe('shares of a pool (guarantees §10, N2)', () => {
  it('gives one holder the largest part of an idle pool', () => {
    expect(fill(new Shares({ places: 1_024, largest: 1 / 16 }), 'a')).toHaveLength(64);
    expect(fill(new Shares({ places: 512, largest: 1 / 2 }), 'a')).toHaveLength(256);
  });

  it('keeps half of the pool free of ten holders that release nothing, and a place for a newcomer after sixty', () => {
    const shares = new Shares({ places: 1_024, largest: 1 / 16 });
    const taken = Array.from({ length: 10 }, (_, i) => fill(shares, `hung ${i}`).length);
    expect(taken.reduce((sum, n) => sum + n)).toBeLessThanOrEqual(512);
    expect(fill(shares, 'healthy')).toHaveLength(34);
    for (let i = 10; i < 60; i++) fill(shares, `hung ${i}`);
    expect(shares.tryTake('newcomer')).not.toBeNull();
  });

  it.each([1 / 8, 1 / 4, 1 / 3, 1 / 2, 15 / 16])('reports how many places a holder would get, with a largest part of %d', (largest) => {
    for (let others = 0; others <= 3; others++) {
      const taken = () => {
        const shares = new Shares({ places: 128, largest });
        for (let i = 0; i < others; i++) fill(shares, `other ${i}`);
        shares.tryTake('a');
        return shares;
      };
      const { of, newcomer } = taken().rooms();
      expect(fill(taken(), 'a')).toHaveLength(of.get('a') ?? 0);
      expect(fill(taken(), 'newcomer')).toHaveLength(newcomer);
    }
  });

  it('queues a holder that has its share, in order, and delays no others', async () => {
    const shares = new Shares({ places: 8, largest: 1 / 4, waiting: { room: 100, largest: 1 / 4 } });
    const taken = fill(shares, 'a');
    const served: string[] = [];
    const wait = (name: string) => shares.take('a', LONG).then((release) => (served.push(name), release));
    const waiting = [wait('first'), wait('second')];
    expect(shares.tryTake('b')).not.toBeNull();
    expect(served).toEqual([]);
    taken[0]?.();
    (await waiting[0])?.();
    await waiting[1];
    expect(served).toEqual(['first', 'second']);
  });

  it('serves waiting holders in turn', async () => {
    const shares = new Shares({ places: 4, largest: 1 / 4, waiting: { room: 100, largest: 1 / 4 } });
    const taken = ['a', 'b'].flatMap((holder) => fill(shares, holder));
    const served: string[] = [];
    const waiting = ['a', 'a', 'b', 'b'].map((holder) =>
      shares.take(holder, LONG).then((release) => {
        served.push(holder);
        setImmediate(() => release?.());
      }),
    );
    for (const release of taken) release();
    await Promise.all(waiting);
    expect(served).toEqual(['a', 'b', 'a', 'b']);
  });

  it('refuses at once when a holder’s queue is full, and queues another holder', async () => {
    const shares = new Shares({ places: 4, largest: 1 / 4, waiting: { room: 8, largest: 1 / 4 } });
    const taken = [...fill(shares, 'a'), ...fill(shares, 'b')];
    const waiting = [shares.take('a', LONG), shares.take('a', LONG)];
    expect(await shares.take('a', LONG)).toBeNull();
    const other = shares.take('b', 1);
    expect(await Promise.race([other, ...waiting])).toBeNull();
    for (const release of taken) release();
    for (const one of waiting) (await one)?.();
  });

  it('ends a wait in time, and frees its room', async () => {
    const shares = new Shares({ places: 4, largest: 1 / 4, waiting: { room: 1, largest: 1 / 4 } });
    const taken = fill(shares, 'a');
    for (let i = 0; i < 3; i++) expect(await shares.take('a', 1)).toBeNull();
    expect(await shares.take('a', NO_WAIT)).toBeNull();
    for (const release of taken) release();
    expect(await shares.take('a', 1)).not.toBeNull();
  });

  it('releases a place once', () => {
    const shares = new Shares({ places: 4, largest: 1 / 4 });
    const [release] = fill(shares, 'a');
    release?.();
    release?.();
    expect([fill(shares, 'a').length, shares.heldBy('a')]).toEqual([1, 1]);
  });
});
