import { nearest } from './did-you-mean';

/** Levenshtein's distance without a bound. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[other.length] ?? 0;
}

describe('the most similar name', () => {
  it('is the first of those with the fewest edits, at most two', () => {
    const letters = ['a', 'b', 'c'];
    let names = [''];
    for (let length = 1; length <= 4; length++) names = names.concat(names.flatMap((name) => letters.map((letter) => name + letter)));
    const words = [...new Set(names)].filter((name) => name.length >= 2);
    for (const word of words.filter((_, i) => i % 7 === 0)) {
      const others = words.filter((name) => name !== word && (name.length + name.charCodeAt(1)) % 3 === 0);
      const fewest = Math.min(...others.map((name) => distance(name, word)));
      const expected = fewest > Math.min(2, word.length - 1) ? null : others.find((name) => distance(name, word) === fewest);
      expect([word, nearest(word, others)]).toEqual([word, expected]);
    }
  });

  it.each([
    ['order_updated', 'order_update'],
    ['odrer_update', 'order_update'],
    ['ORDER_UPDAT', 'order_update'],
    ['rder_updat', 'order_update'],
    ['rder_upda', null],
    ['', null],
    ['o', null],
  ])('of %s is %s', (name, expected) => expect(nearest(name, ['login', 'order_update'])).toBe(expected));
});
