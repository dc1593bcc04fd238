import { Batcher, ITEM_BYTES, type BatcherOptions } from './index';

interface Item {
  business: number;
  nth: number;
  bytes?: number;
}

/** A batcher whose round trips end when the test ends them. */
function heldBatcher(options: Partial<BatcherOptions<Item, number>> = {}) {
  const batches: Item[][] = [];
  let finish: () => void = () => undefined;
  const batcher = new Batcher<Item, number>({
    businessOf: ({ business }) => business,
    sizeOf: ({ bytes = 0 }) => bytes,
    run: async (items) => {
      batches.push(items);
      await new Promise<void>((resolve) => (finish = resolve));
      return items.map(({ nth }) => nth);
    },
    ...options,
  });
  /** Resolves when the next round trip has begun. */
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { batcher, batches, turn, finish: () => finish() };
}

const items = (business: number, count: number): Item[] => Array.from({ length: count }, (_, nth) => ({ business, nth }));
const REFUSAL = { error_code: 'OVERLOADED', status: 503, extras: { retry_after_seconds: 1 } };

describe('batcher (guarantees §10, N1 and N2)', () => {
  it('refuses a business that holds its share with 503 and Retry-After, and admits the others', async () => {
    const { batcher, turn, finish } = heldBatcher({ maxHeldBytes: 400 * ITEM_BYTES });
    const [admitted, refused] = [items(1, 100).map((item) => batcher.add(item)), batcher.add({ business: 1, nth: 100 })];
    await expect(refused).rejects.toMatchObject(REFUSAL);
    const other = batcher.add({ business: 2, nth: 0 });
    await turn();
    finish();
    await Promise.all(admitted.slice(0, 60));
    const again = batcher.add({ business: 1, nth: 101 });
    await turn();
    finish();
    expect(await Promise.all([...admitted, other, again])).toHaveLength(102);
  });

  it('holds no more bytes than its bound, however many businesses call', async () => {
    const { batcher, turn, finish } = heldBatcher({ maxHeldBytes: 1024 ** 2 });
    const large = (business: number) => batcher.add({ business, nth: 0, bytes: 100 * 1024 });
    const outcomes = Promise.allSettled(Array.from({ length: 50 }, (_, business) => large(business)));
    await turn();
    finish();
    const results = await outcomes;
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(results.at(-1)).toMatchObject({ status: 'rejected', reason: REFUSAL });
  });

  it('serves businesses in turn, and the items of each in their order', async () => {
    const { batcher, batches, turn, finish } = heldBatcher({ maxSize: 4 });
    const all = [...items(1, 6), ...items(2, 2)].map((item) => batcher.add(item));
    await turn();
    finish();
    await turn();
    await turn();
    finish();
    await Promise.all(all);
    expect(batches.map((batch) => batch.map(({ business, nth }) => `${business}.${nth}`))).toEqual([
      ['1.0', '2.0', '1.1', '2.1'],
      ['1.2', '1.3', '1.4', '1.5'],
    ]);
  });

  it('keeps items that may wait until one comes that may not, and sends them together', async () => {
    const { batcher, batches, turn, finish } = heldBatcher({ waitMs: ({ business }) => (business === 1 ? 60_000 : 0) });
    const waiting = items(1, 3).map((item) => batcher.add(item));
    await turn();
    await turn();
    expect(batches).toEqual([]);
    const urgent = batcher.add({ business: 2, nth: 7 });
    await turn();
    finish();
    expect(await Promise.all([...waiting, urgent])).toEqual([0, 1, 2, 7]);
    expect(batches).toHaveLength(1);
  });

  it('starts a full round trip at once, and one that is not full after its wait', async () => {
    const { batcher, batches, turn, finish } = heldBatcher({ waitMs: ({ bytes = 60_000 }) => bytes, maxSize: 2 });
    const full = items(1, 2).map((item) => batcher.add(item));
    await turn();
    expect(batches).toHaveLength(1);
    const last = batcher.add({ business: 1, nth: 2, bytes: 1 });
    finish();
    await Promise.all(full);
    while (batches.length < 2) await turn();
    finish();
    expect(await last).toBe(2);
  });

  it('bounds the bytes of a round trip', async () => {
    const { batcher, batches, turn, finish } = heldBatcher({ maxBytes: 5 * ITEM_BYTES });
    const all = items(1, 3).map((item) => batcher.add({ ...item, bytes: 2 * ITEM_BYTES }));
    for (let trips = 0; trips < 3; trips++) {
      await turn();
      await turn();
      finish();
    }
    await Promise.all(all);
    expect(batches.map((batch) => batch.length)).toEqual([1, 1, 1]);
  });

  it('runs each item alone after an error about one of them', async () => {
    const batcher = new Batcher<Item, number>({
      businessOf: ({ business }) => business,
      isItemError: () => true,
      run: async (batch) => {
        if (batch.some(({ nth }) => nth === 1)) throw new Error('bad value');
        return batch.map(({ nth }) => nth);
      },
    });
    const outcomes = await Promise.allSettled(items(1, 3).map((item) => batcher.add(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
