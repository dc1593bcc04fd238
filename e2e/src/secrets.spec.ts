import { spawnSync } from 'node:child_process';
import { linkSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabase } from '@mgw/testing';
import { Client } from 'pg';
import { ACCESS } from './access-table.fixture';
import { ROOT } from './stack';
import { runWithTool } from './tool-script';

describe('the secrets of a stack (spec §13)', () => {
  let dir: string;
  let file: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'mgw-secrets-'));
    file = join(dir, 'secrets.json');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  /** @returns the secrets, or the message of an error */
  const load = (by = 'loadSecrets'): string => {
    const script = `try { console.log(JSON.stringify(${by}(${JSON.stringify(dir)}))) } catch ({ message }) { console.log(message) }`;
    return runWithTool('tools/start/secrets.mjs', by, script).stdout;
  };
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  /** The oldest first. */
  const copies = () =>
    readdirSync(dir)
      .filter((name) => /^secrets\.json\.\d/.test(name))
      .sort()
      .map((name) => join(dir, name));

  it('are completed in a new file that replaces the old one', () => {
    writeFileSync(file, '{ "app_secret": "kept" }');
    linkSync(file, join(dir, 'before'));
    expect(JSON.parse(load())).toMatchObject({ app_secret: 'kept', sealing_keys: expect.stringMatching(/^local:/) });
    expect(read(file)).toEqual(JSON.parse(load()));
    expect(read(join(dir, 'before'))).toEqual({ app_secret: 'kept' });
  });

  it.each([
    ['', 'not valid JSON'],
    ['{ "app_secret": "hal', 'not valid JSON'],
    ['[]', 'not a JSON object of secrets'],
    ['null', 'not a JSON object of secrets'],
    ['"x"', 'not a JSON object of secrets'],
    ['{ "sealing_keys": null }', 'not a JSON object of secrets'],
    ['{ "passwords": { "nats": "x" } }', 'not a JSON object of secrets'],
  ])('are refused by the name of their file when it contains %j', (text, problem) => {
    writeFileSync(file, text);
    expect(load()).toBe(`${file} is ${problem}: restore the file, or remove ${dir} to start with empty data\n`);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('of docker compose are never to be deleted: PostgreSQL has its data in another volume', () => {
    const remedy = 'it holds the only keys of the data in PostgreSQL, so repair it, and never delete it';
    writeFileSync(file, '{');
    expect(load('loadComposeSecrets')).toBe(`${file} is not valid JSON: ${remedy}\n`);
    rmSync(file);
    load('loadComposeSecrets');
    const [copy = ''] = copies();
    writeFileSync(file, '{');
    expect(load('loadComposeSecrets')).toBe(
      `${file} is not valid JSON: ${remedy} (copies of valid versions are beside it, such as ${copy})\n`,
    );
    rmSync(file);
    expect(load('loadComposeSecrets')).toBe(`${file} is missing: ${remedy} (copies of valid versions are beside it, such as ${copy})\n`);
    expect(readdirSync(dir)).toEqual([copy.split('/').pop()]);
  });

  it('decision 723: keep a copy of each version beside them', () => {
    const first = JSON.parse(load()) as Record<string, unknown>;
    load();
    writeFileSync(file, JSON.stringify({ ...first, sealing_keys: undefined }));
    const second = JSON.parse(load()) as Record<string, unknown>;
    expect(second).toMatchObject({ app_secret: first['app_secret'] });
    expect(second['sealing_keys']).not.toBe(first['sealing_keys']);
    expect(copies().map(read)).toEqual([first, second]);
  });

  it('decision 723: keep one copy of a version even after a start whose clock was ahead', () => {
    load();
    const text = readFileSync(file, 'utf8');
    renameSync(copies()[0] ?? '', join(dir, 'secrets.json.2099-01-01T00-00-00.000Z'));
    writeFileSync(file, text.replace(/"app_secret": "[^"]*"/, '"app_secret": "changed"'));
    load();
    load();
    expect(copies().map((copy) => read(copy)['app_secret'])).toEqual(['changed', read(copies()[1] ?? '')['app_secret']]);
    writeFileSync(file, text);
    load();
    expect(copies()).toHaveLength(2);
  });

  it('of docker compose are printed and replaced by the commands of docs/operations.md', () => {
    load('loadComposeSecrets');
    linkSync(file, join(dir, 'before'));
    const commands = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8').matchAll(/--entrypoint node secrets (-[ep]) '([^']+)'/g);
    const [print, replace] = [...commands].map(
      ([, option = '', script = '']) =>
        (input = '') =>
          spawnSync(process.execPath, [option, script.replaceAll('/stack', dir)], { cwd: ROOT, input, encoding: 'utf8' }),
    );
    const before = readFileSync(file, 'utf8');
    expect(print?.().stdout).toBe(`${before}\n`);
    for (const damaged of ['', before.slice(0, -3)]) expect(replace?.(damaged).status).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe(before);
    const secrets = { ...read(file), sealing_keys: 'other', passwords: undefined };
    expect(replace?.(JSON.stringify(secrets))).toMatchObject({ status: 0, stderr: '' });
    expect([statSync(file).mode & 0o777, readFileSync(join(dir, 'before'), 'utf8')]).toEqual([0o600, before]);
    const after = JSON.parse(load('loadComposeSecrets')) as Record<string, unknown>;
    expect(after).toMatchObject(JSON.parse(JSON.stringify(secrets)) as object);
    expect(after['passwords']).not.toEqual(read(join(dir, 'before'))['passwords']);
  });

  it('of docker compose are kept outside the checkout by those commands, and Git and images never take them', () => {
    const files = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8').matchAll(/--entrypoint node secrets .* [<>] ([^)\s]+)\)?$/gm);
    expect([...files].map(([, path]) => path)).toEqual(['../secrets.json', '../secrets.json']);
    for (const name of ['.gitignore', '.dockerignore'])
      expect([name, readFileSync(join(ROOT, name), 'utf8').split('\n')]).toEqual([name, expect.arrayContaining(['secrets.json*'])]);
  });

  it('are only read by later steps of docker compose: `roles` may not write to their folder', async () => {
    load();
    rmSync(copies()[0] ?? '');
    const database = await testDatabase();
    await database.drop();
    const roles = spawnSync(process.execPath, ['tools/start/compose-roles.mjs', dir], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { DATABASE_URL: database.url },
    });
    expect(roles.stderr).toContain('does not exist');
    expect(readdirSync(dir)).toEqual(['secrets.json']);
  });
});

interface Column {
  table_name: string;
  column_name: string;
  data_type: string;
  is_nullable: 'YES' | 'NO';
  column_default: string | null;
  is_identity: 'YES' | 'NO';
}

/** Secrets that live for a day. */
const SHORT_LIVED = ['send.idempotency_keys.otp_sealed'];
const VALUES: Record<string, (nth: number) => string> = {
  ARRAY: () => "'{}'",
  boolean: () => 'true',
  text: (nth) => `'value ${nth}'`,
  'timestamp with time zone': () => 'now()',
};

describe('docs/operations.md: a lost key of SEALING_KEYS', () => {
  it('deletes what the key sealed, and nothing that another one sealed', async () => {
    const sql = /```sql\n(UPDATE template\.connections[\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/operations.md'), 'utf8'))?.[1] ?? '';
    const database = await testDatabase();
    const urls = JSON.stringify(Object.fromEntries(Object.keys(ACCESS.SERVICES).map((app) => [app, database.url])));
    const migrated = spawnSync(process.execPath, ['tools/start/migrate.mjs'], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, DATABASE_URLS: urls },
    });
    expect([migrated.status, migrated.stderr]).toEqual([0, '']);
    const db = new Client({ connectionString: database.url });
    await db.connect();
    // Rows that a secret's row refers to are missing.
    await db.query('SET session_replication_role = replica');
    const { rows: columns } = await db.query<Column>(
      `SELECT table_schema || '.' || table_name AS table_name, column_name, data_type, is_nullable, column_default, is_identity
       FROM information_schema.columns WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY ordinal_position`,
    );
    const sealed = columns.filter(
      ({ table_name, column_name }) => column_name.endsWith('_sealed') && !SHORT_LIVED.includes(`${table_name}.${column_name}`),
    );
    expect(sealed.length).toBeGreaterThan(8);
    // One row for each secret that the lost key sealed, and one without.
    for (const [nth, { table_name, column_name }] of [...sealed, ...sealed].entries()) {
      const key = nth < sealed.length ? 'lost' : 'kept';
      const needed = columns.filter(
        (column) =>
          column.table_name === table_name &&
          (column.column_name === column_name ||
            (column.is_nullable === 'NO' && column.column_default === null && column.is_identity === 'NO')),
      );
      const values = needed.map((column) => {
        if (column.column_name === column_name) return `'${key}.bytes'`;
        if (column.column_name.endsWith('_sealed')) return "'other.bytes'";
        return VALUES[column.data_type]?.(nth) ?? `${nth + 1}`;
      });
      await db.query(`INSERT INTO ${table_name} (${needed.map((column) => column.column_name).join()}) VALUES (${values.join()})`);
    }
    await db.query('RESET session_replication_role');
    const left = async (key: string) => {
      const counts = sealed.map(
        ({ table_name, column_name }) => `SELECT '${table_name}' AS name FROM ${table_name} WHERE starts_with(${column_name}, '${key}.')`,
      );
      return (await db.query<{ name: string }>(counts.join(' UNION ALL '))).rows.map(({ name }) => name).sort();
    };
    const kept = await left('kept');
    expect([(await left('lost')).length, kept.length]).toEqual([sealed.length, sealed.length]);
    await db.query(sql);
    expect([await left('lost'), await left('kept')]).toEqual([[], kept]);
    await db.end();
    await database.drop();
  }, 60_000);
});
