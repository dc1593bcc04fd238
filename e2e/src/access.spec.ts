import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import * as contracts from '@mgw/contracts';
import { testDatabase } from '@mgw/testing';
import { ACCESS, type ServiceAccess } from './access-table.fixture';

const ROOT = join(__dirname, '../..');
const node = (args: string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env: { ...process.env, ...env } });

const { SERVICES, STREAMS } = ACCESS;
const APPS = Object.keys(SERVICES);
const serviceOf = (app: string) => SERVICES[app] as ServiceAccess;

/** The library's code that calls and listens in the apps which provide it. */
const WANTED_EVENTS = readFileSync(join(ROOT, 'libs/service/src/wanted-events.ts'), 'utf8');

/** The source code of an app without its tests. */
function sourceOf(app: string): string {
  const folder = join(ROOT, 'apps', app, 'src');
  const own = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ts$/.test(name) && !/\.(spec|fixture)\.ts$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
  return /\bWantedEvents\b/.test(own) ? own + WANTED_EVENTS : own;
}
const found = (source: string, pattern: RegExp) => [...new Set([...source.matchAll(pattern)].map(([, name = '']) => name))].sort();
const contract = (name: string) => (contracts as unknown as Record<string, { subject: string; service?: string }>)[name];
const subjects = (names: string[]) => names.map((name) => contract(name)?.subject ?? `${name}: not in the contracts`).sort();

/** The operations of several services, by the name of the function that makes them. */
const OPERATIONS_OF_SERVICES = new Map<string, string[]>([
  ...(['getServiceMetrics', 'listDeadLetters', 'getDeadLetter', 'replayDeadLetter', 'discardDeadLetter'] as const).map(
    (name): [string, string[]] => [name, contracts.SERVICES.map((service) => contracts[name](service).subject)],
  ),
  ...(['exportPerson', 'erasePerson'] as const).map((name): [string, string[]] => [
    name,
    contracts.PEOPLE_SERVICES.map((service) => contracts[name](service).subject),
  ]),
]);

/** Operations that an app imports but does not handle, so it calls them. */
function calledBy(source: string, app: string): string[] {
  const names = found(source, /import\s*\{([^}]*)\}\s*from '@mgw\/contracts'/g)
    .flatMap((list) => list.split(','))
    .map((name) => name.trim());
  const operations = [...new Set(names)].flatMap((name) => {
    const ofServices = OPERATIONS_OF_SERVICES.get(name);
    if (ofServices !== undefined) return ofServices;
    const one = contract(name);
    return one?.service !== undefined && one.service !== app ? [one.subject] : [];
  });
  return operations.sort();
}

describe('rights on the servers (tools/access/services.mjs)', () => {
  it('lists every app that uses the servers, and the streams of the contracts', () => {
    const connected = readdirSync(join(ROOT, 'apps')).filter((app) => existsSync(join(ROOT, 'apps', app, 'src/migrations')));
    expect([...APPS].sort()).toEqual(connected.sort());
    expect([...STREAMS].sort()).toEqual(Object.keys(contracts.STREAMS).sort());
  });

  it.each(APPS)('%s: calls, announces, listens, publishes and consumes exactly as its code does', (app) => {
    const source = sourceOf(app);
    const service = serviceOf(app);
    const calls = Object.entries(service.calls).flatMap(([other, verbs]) => verbs.map((verb) => `rpc.${other}.${verb}`));
    expect(calls.sort()).toEqual(calledBy(source, app));
    const announced = (names: string[]) => names.map((name) => `announce.${name}`).sort();
    expect(announced(service.announces)).toEqual(subjects(found(source, /\.announce\(([A-Z]\w+)/g)));
    expect(announced(service.listens)).toEqual(subjects(found(source, /\.listen\(([A-Z]\w+)/g)));
    // SQL names the subject of an event that its statement publishes.
    const published = found(source, /(?:newEvent\(|'\$\{)([A-Z]\w+)(?:,|\.subject\})/g);
    expect([...service.publishes].sort()).toEqual(subjects(published));
    expect(Object.keys(service.consumes).sort()).toEqual(found(source, /durable: '([\w-]+)'/g));
    const consumed = new Set(Object.values(service.consumes).filter((subject) => !subject.endsWith('.>')));
    expect([...consumed].sort()).toEqual(subjects(found(source, /\btype: ([A-Z]\w+),/g)));
    expect(service.tails).toEqual(found(source, /EventTail\(\{[^}]*stream: '(\w+)'/g));
    expect(service.schema).toBe(/schema: '(\w+)'/.exec(readFileSync(join(ROOT, 'apps', app, 'src/main.ts'), 'utf8'))?.[1]);
  });

  it('generates deploy/nats/users.conf and names the schemas of deploy/postgres/roles.sql', () => {
    const checked = node(['tools/access/generate.mjs']);
    expect([checked.status, checked.stderr]).toEqual([0, '']);
    const roles = readFileSync(join(ROOT, 'deploy/postgres/roles.sql'), 'utf8');
    const named = /ARRAY\[(.*?)\]/.exec(roles)?.[1]?.match(/\w+/g) ?? [];
    expect([...named].sort()).toEqual(APPS.map((app) => serviceOf(app).schema).sort());
  });
});

describe('roles of PostgreSQL', () => {
  it('services become the owners of a database that one user created, and migrate as their roles', async () => {
    const database = await testDatabase();
    const dir = mkdtempSync(join(tmpdir(), 'mgw-roles-'));
    const migrate = (url: string) => node(['dist/apps/send/src/main.js', 'migrate'], { DATABASE_URL: url });
    expect(migrate(database.url).status).toBe(0);
    const admin = new Client({ connectionString: database.url });
    await admin.connect();
    const owners = async () => {
      const { rows } = await admin.query<{ owner: string }>(
        `SELECT DISTINCT owner::regrole::text AS owner FROM (
           SELECT relowner AS owner FROM pg_class WHERE relnamespace = 'send'::regnamespace
           UNION SELECT proowner FROM pg_proc WHERE pronamespace = 'send'::regnamespace
           UNION SELECT typowner FROM pg_type WHERE typnamespace = 'send'::regnamespace
           UNION SELECT nspowner FROM pg_namespace WHERE nspname = 'send') AS all_of_it`,
      );
      return rows.map(({ owner }) => owner);
    };
    expect(await owners()).toEqual(['gateway']);
    expect(node(['tools/start/compose-secrets.mjs', dir, join(dir, 'access')]).status).toBe(0);
    for (let time = 0; time < 2; time++) {
      const done = node(['tools/start/compose-roles.mjs', dir], { DATABASE_URL: database.url });
      expect([done.status, done.stderr]).toEqual([0, '']);
      expect(await owners()).toEqual(['send']);
    }
    const { passwords } = JSON.parse(readFileSync(join(dir, 'secrets.json'), 'utf8')) as { passwords: { postgres: { send: string } } };
    const own = new URL(database.url);
    Object.assign(own, { username: 'send', password: passwords.postgres.send });
    await admin.query('DROP SCHEMA send CASCADE; CREATE SCHEMA send AUTHORIZATION send');
    const again = migrate(own.href);
    expect([again.status, again.stderr]).toEqual([0, '']);
    expect(await owners()).toEqual(['send']);
    await admin.end();
    await database.drop();
    rmSync(dir, { recursive: true, force: true });
  });
});
