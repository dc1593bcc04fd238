import { testDatabase } from '@mgw/testing';
import { Database } from './index';

describe('list parameters in binary format', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let db: Database;
  beforeAll(async () => {
    database = await testDatabase();
    db = await Database.open({ url: database.url, schema: 'public' });
  });
  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  const back = async (list: unknown, other: unknown = null) =>
    (await db.query<{ list: unknown; other: unknown }>('SELECT $1::text[] AS list, $2::text AS other', [list, other]))[0];

  it.each([
    ['plain', ['a', 'b']],
    ['quotation marks, backslashes, braces, commas and NULL in letters', ['{"a":"b\\"c"}', '\\', '{}', ',', 'NULL', '']],
    ['letters of several bytes', ['ä', '漢字', '🎉', ' \n\t']],
    ['none among them', [null, 'a', null]],
    ['nothing but none', [null]],
    ['empty', []],
    ['a long one', ['x'.repeat(300_000), 'ü'.repeat(100_000)]],
  ])('%s', async (_, list) => {
    expect(await back(list)).toEqual({ list, other: null });
  });

  it('carries any bytes', async () => {
    const list = [Buffer.from([0, 255, 92, 34]), null, Buffer.alloc(0), Buffer.alloc(3_000_000, 7)];
    const [row] = await db.query('SELECT $1::bytea[] AS list', [list]);
    expect(row).toEqual({ list });
    expect(await db.query('SELECT $1::bytea[] AS list', [['\\x00ff']])).toEqual([{ list: [Buffer.from([0, 255])] }]);
  });

  it('leaves other values as they are', async () => {
    expect(await back([1, true])).toEqual({ list: ['1', 'true'], other: null });
    expect(await back('{a,"b c"}', 'text')).toEqual({ list: ['a', 'b c'], other: 'text' });
    expect(await back(null)).toEqual({ list: null, other: null });
  });

  it('accepts a list twice in one statement and does not change the caller’s array', async () => {
    const values = [['a'], 1];
    const rows = await db.query('SELECT unnest($1::text[]) = ANY ($1::text[]) AS same, $2::int AS n', values);
    expect([rows, values]).toEqual([[{ same: true, n: 1 }], [['a'], 1]]);
  });

  it('refuses NUL in a text', async () => {
    await expect(back(['a\u0000b'])).rejects.toThrow(/invalid byte sequence/);
  });
});
