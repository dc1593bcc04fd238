import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, testDatabase } from '@mgw/testing';
import { Client } from 'pg';
import { Database, runMigrations } from './index';

const functionOf = (name: string, result: string) =>
  `-- A rule.\nCREATE OR REPLACE FUNCTION shop.${name}() RETURNS integer LANGUAGE sql AS $$\n  SELECT ${result}\n$$;\n`;

describe('functions beside their topics', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let sources: string;
  let db: Database;
  beforeEach(async () => {
    database = await testDatabase();
    sources = mkdtempSync(join(tmpdir(), 'mgw-functions-'));
    mkdirSync(join(sources, 'prices'));
    db = await Database.open({ url: database.url, schema: 'shop', applicationName: 'test' });
  });
  afterEach(async () => {
    await db.close();
    await database.drop();
    rmSync(sources, { recursive: true });
  });

  const write = (file: string, sql: string) => writeFileSync(join(sources, file), sql);
  const migrate = () => runMigrations({ url: database.url, schema: 'shop', migrations: [], sources });
  const price = async () => (await db.query<{ price: number }>('SELECT shop.price() AS price'))[0]?.price;

  it('applies a file once, and again after a change', async () => {
    write('prices/price.sql', functionOf('price', 'shop.base() + 1'));
    write('prices/base.sql', functionOf('base', '1'));
    expect(await migrate()).toEqual(['prices/base.sql', 'prices/price.sql']);
    expect(await migrate()).toEqual([]);
    expect(await price()).toBe(2);
    write('prices/base.sql', functionOf('base', '2'));
    expect(await migrate()).toEqual(['prices/base.sql']);
    expect(await price()).toBe(3);
  });

  it('applies all changes or none, and names the file that failed', async () => {
    write('prices/price.sql', functionOf('price', '1'));
    await migrate();
    write('prices/price.sql', functionOf('price', '2'));
    write('prices/wrong.sql', functionOf('wrong', '1').replace('integer', 'no_type'));
    await expect(migrate()).rejects.toThrow(/^prices\/wrong\.sql: type "no_type" does not exist/);
    expect(await price()).toBe(1);
  });

  it('applies a change once when several processes migrate', async () => {
    write('prices/price.sql', functionOf('price', '1'));
    const applied = await Promise.all([migrate(), migrate(), migrate()]);
    expect(applied.flat()).toEqual(['prices/price.sql']);
  });

  it('applies triggers with the functions that they call', async () => {
    await db.query('CREATE SCHEMA shop');
    await db.query('CREATE TABLE shop.orders (total integer)');
    write(
      'prices/total.sql',
      `CREATE OR REPLACE FUNCTION shop.add_total() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.total = shop.price(); RETURN new; END $$;
       CREATE OR REPLACE TRIGGER total BEFORE INSERT ON shop.orders FOR EACH ROW EXECUTE FUNCTION shop.add_total();`,
    );
    write('prices/zero.sql', functionOf('price', '0'));
    await migrate();
    expect(await db.query('INSERT INTO shop.orders DEFAULT VALUES RETURNING total')).toEqual([{ total: 0 }]);
  });

  it('retries a trigger until its table is free, and does not block other writers', async () => {
    await db.query('CREATE SCHEMA shop');
    await db.query('CREATE TABLE shop.orders (total integer)');
    write(
      'total.sql',
      `CREATE OR REPLACE FUNCTION shop.add_total() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.total = 1; RETURN new; END $$;
       CREATE OR REPLACE TRIGGER total BEFORE INSERT ON shop.orders FOR EACH ROW EXECUTE FUNCTION shop.add_total();`,
    );
    const writer = new Client({ connectionString: database.url });
    await writer.connect();
    await writer.query('BEGIN');
    await writer.query('INSERT INTO shop.orders VALUES (0)');
    const migrated = migrate();
    const waiting = `SELECT FROM pg_locks WHERE relation = 'shop.orders'::regclass AND mode = 'ShareRowExclusiveLock' AND NOT granted`;
    await eventually(async () => (await db.query(waiting)).length === 1, { everyMs: 10 });
    await db.transaction(async (tx) => {
      await tx.query(`SET LOCAL lock_timeout = '5s'`);
      await tx.query('INSERT INTO shop.orders VALUES (0)');
    });
    await writer.query('COMMIT');
    await writer.end();
    expect(await migrated).toEqual(['total.sql']);
    expect(await db.query('INSERT INTO shop.orders VALUES (0) RETURNING total')).toEqual([{ total: 1 }]);
  });

  it('refuses a file with any other statement', async () => {
    write('prices/price.sql', `${functionOf('price', '1')}CREATE TABLE shop.prices (id integer);`);
    await expect(migrate()).rejects.toThrow('prices/price.sql: only CREATE OR REPLACE');
  });
});
