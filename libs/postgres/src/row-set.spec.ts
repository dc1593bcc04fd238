import { RowSet } from './row-set';

describe('row set', () => {
  const SENDS = new RowSet<{ id: number; text: string }>({ id: ['bigint', ({ id }) => id], text: ['text', ({ text }) => text] }, 3);

  it('numbers the parameters and names the columns', () => {
    expect(SENDS.from('n')).toBe('unnest($3::bigint[], $4::text[]) AS n (id, text)');
    expect(SENDS.from('n', 'nth')).toBe('unnest($3::bigint[], $4::text[]) WITH ORDINALITY AS n (id, text, nth)');
    expect([SENDS.list('text'), SENDS.at('text', 'nth'), SENDS.next]).toEqual(['$4', '($4::text[])[nth]', 5]);
    expect(() => SENDS.list('phone')).toThrow('no column phone');
  });

  it('turns rows into one list per column', () => {
    expect(
      SENDS.values([
        { id: 1, text: 'a' },
        { id: 2, text: 'b' },
      ]),
    ).toEqual([
      [1, 2],
      ['a', 'b'],
    ]);
  });
});
