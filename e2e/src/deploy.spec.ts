import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import Ajv from 'ajv';
import { validate as lintDockerfile } from 'dockerfile-utils';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service, ServiceAccount } from 'kubernetes-models/v1';
import { parse } from 'yaml';
import { ACCESS } from './access-table.fixture';
import { renderChart } from './helm-render.fixture';

const ROOT = join(__dirname, '../..');
const CHART = join(ROOT, 'deploy/helm/messaging-gateway');
const file = (name: string) => readFileSync(join(ROOT, name), 'utf8');
/** The value of a variable in a file of variables. */
const valueIn = (name: string, variable: string) => new RegExp(`^${variable}=(.*)$`, 'm').exec(file(name))?.[1];

interface Setting {
  name: string;
  required: boolean;
  secret: boolean;
  fallback?: unknown;
}
const configured = new Map(
  (
    JSON.parse(spawnSync(process.execPath, ['tools/docs/configuration.mjs', '--json'], { cwd: ROOT, encoding: 'utf8' }).stdout) as {
      app: string;
      settings: Setting[];
    }[]
  ).map(({ app, settings }) => [app, settings]),
);
/** Variables of the image's entry, and those that only some services read. */
const COMMON = new Set(['ENV_FILE', 'NODE_ENV', 'PROBE_PORT']);
const SERVICES = [...configured.keys()].filter((app) => app !== 'platform-simulator');

describe('configuration', () => {
  it('docs/configuration.md matches the code', () => {
    const checked = spawnSync(process.execPath, ['tools/docs/configuration.mjs'], { cwd: ROOT, encoding: 'utf8' });
    expect([checked.status, checked.stderr.replace(/npm warn.*\n/g, '')]).toEqual([0, '']);
  });
});

interface ComposeService {
  image: string;
  profiles?: string[];
  build?: { args?: { APP?: string } };
  ports?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  restart?: string;
  logging?: { driver: string; options?: Record<string, string> };
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  extra_hosts?: string[];
}

/** Generated variables by service and server. The compose stack creates them at its first start, each in its own volume. */
const makeSecrets = (dir: string, env: Record<string, string> = {}) =>
  spawnSync(process.execPath, ['tools/start/compose-secrets.mjs', dir, join(dir, 'access')], { cwd: ROOT, encoding: 'utf8', env });
function madeAtFirstStart(): Map<string, Record<string, string>> {
  const dir = mkdtempSync(join(tmpdir(), 'mgw-access-'));
  const made = makeSecrets(dir);
  expect([made.status, made.stderr]).toEqual([0, '']);
  const entries = readdirSync(join(dir, 'access'))
    .filter((name) => name !== 'redis')
    .map((name) => {
      const lines = readFileSync(join(dir, 'access', name, 'env'), 'utf8')
        .trim()
        .split('\n');
      return [name, Object.fromEntries(lines.map((line) => /^(\w+)='(.*)'$/.exec(line)?.slice(1) as [string, string]))] as const;
    });
  rmSync(dir, { recursive: true });
  return new Map(entries);
}

describe('docker-compose.yml', () => {
  const made = madeAtFirstStart();
  const accessOf = (app: string) => made.get(app) ?? {};
  const compose = parse(file('docker-compose.yml'), { merge: true }) as { services: Record<string, ComposeService>; volumes: object };

  it('conforms to the published schema of compose files', () => {
    const published = readFileSync(join(dirname(require.resolve('dclint/package.json')), 'schemas/compose.schema.json'), 'utf8');
    // The schema names its draft by a URL that Ajv does not know.
    const schema: object = { ...(JSON.parse(published) as object), $schema: undefined };
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    expect([validate(compose), validate.errors]).toEqual([true, null]);
    expect(validate({ ...compose, services: { gateway: { imag: 'messaging-gateway/gateway' } } })).toBe(false);
  });

  it('has every service and exposes only the gateway and the simulator', () => {
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining([...SERVICES, 'platform-simulator', 'postgres', 'nats', 'redis']));
    const reachable = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined);
    const inProfile = (chosen: string) =>
      reachable.filter(([, { profiles = [chosen] }]) => profiles.includes(chosen)).map(([name]) => name);
    expect(inProfile('separate')).toEqual(['gateway']);
    expect(inProfile('small')).toEqual(['standalone']);
    expect(inProfile('simulator')).toEqual(['platform-simulator']);
  });

  it('runs each service in a container by default, or all in one with the profile "small" (decisions 501, 505)', () => {
    const { standalone } = compose.services;
    const separate = Object.entries(compose.services).filter(([, { profiles }]) => profiles?.includes('separate'));
    const migrations = Object.keys(compose.services).filter((name) => name.startsWith('migrate-'));
    expect(separate.map(([name]) => name).sort()).toEqual([...SERVICES, ...migrations].sort());
    expect(valueIn('.env', 'COMPOSE_PROFILES')).toBe('separate,simulator');
    const variables = Object.assign({}, ...SERVICES.map((app) => compose.services[app]?.environment)) as Record<string, string>;
    expect(standalone?.environment).toEqual({
      ...variables,
      ENV_FILE: '/access/{service}/env',
      NODE_OPTIONS: /^const STANDALONE_OPTIONS = '(.*)';$/m.exec(file('tools/start/stack.mjs'))?.[1],
    });
    for (const name of ['standalone', 'small-migrations'])
      expect(compose.services[name]?.volumes?.toSorted()).toEqual(SERVICES.map((app) => `access-${app}:/access/${app}:ro`).sort());
  });

  it('starts the simulator and the demo locally only, and passes them NODE_ENV, so that the simulator refuses production (SECURITY.md)', () => {
    const profiles = (name: string) => valueIn(name, 'COMPOSE_PROFILES')?.split(',') ?? [];
    const startedBy = (name: string) =>
      Object.entries(compose.services).flatMap(([service, one]) =>
        one.profiles === undefined || one.profiles.some((profile) => profiles(name).includes(profile)) ? [service] : [],
      );
    const local = ['demo', 'platform-simulator'];
    expect(
      startedBy('.env')
        .filter((service) => !startedBy('.env.example').includes(service))
        .sort(),
    ).toEqual(local);
    for (const service of startedBy('.env.example'))
      expect([service, Object.keys(compose.services[service]?.depends_on ?? {})]).toEqual([service, expect.not.arrayContaining(local)]);
    expect(compose.services['platform-simulator']?.environment?.['NODE_ENV']).toBe('${NODE_ENV:-development}');
  });

  it('never starts an installation of production as the local stack, after a shell lost its variables', () => {
    expect(compose.services['secrets']?.environment).toMatchObject({ NODE_ENV: '${NODE_ENV:-development}' });
    const waitsFor = (name: string): string[] => {
      const on = Object.keys(compose.services[name]?.depends_on ?? {});
      return [...on, ...on.flatMap(waitsFor)];
    };
    for (const name of [...SERVICES, 'standalone', 'roles', 'platform-simulator', 'demo'])
      expect([name, waitsFor(name)]).toEqual([name, expect.arrayContaining(['secrets'])]);
    const dir = mkdtempSync(join(tmpdir(), 'mgw-production-'));
    for (const word of ['Production', 'prod'])
      expect(makeSecrets(dir, { NODE_ENV: word, COMPOSE_PROFILES: 'separate' })).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^NODE_ENV must be one of production, .*\n$/) as string,
      });
    expect(readdirSync(dir)).toEqual([]);
    const content = () =>
      readdirSync(dir, { recursive: true, withFileTypes: true }).flatMap((one) =>
        one.isFile() ? [[one.name, readFileSync(join(one.parentPath, one.name), 'utf8')]] : [],
      );
    const production = { NODE_ENV: 'production', COMPOSE_PROFILES: 'separate' };
    for (const env of [{ NODE_ENV: 'development' }, production, production])
      expect(makeSecrets(dir, env)).toMatchObject({ status: 0, stderr: '' });
    const before = content();
    for (const env of [{ NODE_ENV: 'development' }, {}]) {
      const { status, stderr } = makeSecrets(dir, env);
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/^this installation runs with NODE_ENV=production, .*COMPOSE_ENV_FILES.*\n$/),
      ]);
    }
    expect(content()).toEqual(before);
    expect(makeSecrets(dir, production).status).toBe(0);
    rmSync(dir, { recursive: true });
  });

  it('never starts production without services: compose succeeds when no profile is selected (decision 505)', () => {
    expect(compose.services['secrets']?.environment).toMatchObject({ COMPOSE_PROFILES: '${COMPOSE_PROFILES:-}' });
    const dir = mkdtempSync(join(tmpdir(), 'mgw-profiles-'));
    const startedWith = (env: Record<string, string>) => makeSecrets(dir, { NODE_ENV: 'production', ...env });
    for (const env of [{}, { COMPOSE_PROFILES: '' }, { COMPOSE_PROFILES: 'simulator,observability' }])
      expect(startedWith(env)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(
          /^COMPOSE_PROFILES selects no services: add COMPOSE_PROFILES=separate, .* to \.env\.local, .*\n$/,
        ) as string,
      });
    expect(readdirSync(dir)).toEqual([]);
    const example = { COMPOSE_PROFILES: valueIn('.env.example', 'COMPOSE_PROFILES') ?? '' };
    for (const env of [example, { COMPOSE_PROFILES: 'small, observability' }])
      expect(startedWith(env)).toMatchObject({ status: 0, stderr: '' });
    rmSync(dir, { recursive: true });
  });

  it('runs for real customers with variables of .env.example, and then creates no demo (SECURITY.md)', () => {
    const chosen = (name: string, variable: string) => compose.services[name]?.environment?.[variable];
    for (const name of [...SERVICES, 'standalone', 'demo'])
      expect([name, chosen(name, 'NODE_ENV')]).toEqual([name, '${NODE_ENV:-development}']);
    expect(chosen('gateway', 'TRUSTED_PROXIES')).toBe('${TRUSTED_PROXIES:-}');
    expect(valueIn('.env.example', 'NODE_ENV')).toBe('production');
    // `.env` names the simulator, and .env.example replaces it.
    const simulated = ['META_GRAPH_BASE_URL', 'AUTO_REPLY_BASE_URL', 'WEBHOOK_ALLOWED_TARGETS'];
    expect(simulated.map((name) => valueIn('.env', name))).toEqual(
      simulated.map(() => expect.stringContaining('platform-simulator') as string),
    );
    expect(file('.env.example')).not.toContain('platform-simulator');
    for (const name of [...SERVICES, 'standalone'])
      expect([name, JSON.stringify(compose.services[name]?.environment)]).toEqual([
        name,
        expect.not.stringContaining('platform-simulator'),
      ]);
    const demo = spawnSync(process.execPath, ['tools/start/compose-demo.mjs', '/nowhere'], {
      cwd: ROOT,
      env: { NODE_ENV: 'production' },
      encoding: 'utf8',
    });
    expect(demo).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('no demo is created') as string });
  });

  it('exposes the simulator to this machine only, because its control plane has no login, and the gateway unless GATEWAY_BIND is set', () => {
    expect(compose.services['platform-simulator']?.ports).toEqual(['127.0.0.1:8090:8090']);
    for (const name of ['gateway', 'standalone'])
      expect([name, compose.services[name]?.ports]).toEqual([name, ['${GATEWAY_BIND:-127.0.0.1}:8080:8080']]);
  });

  it('documents a proxy by its own address only: others could choose the address that limits count (SECURITY.md)', () => {
    expect(/^# TRUSTED_PROXIES=(.*)$/m.exec(file('.env.example'))?.[1]).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
  });

  it('is stopped in every form by the documented commands', () => {
    const texts = [
      'README.md',
      'SECURITY.md',
      'docker-compose.yml',
      '.env',
      '.env.example',
      'tools/start/compose-demo.mjs',
      'tools/start/page.mjs',
    ]
      .concat(readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])))
      .map(file);
    const commands = texts.flatMap((text) => [...text.matchAll(/docker compose\b[^`\n]*? down\b/g)].map(([command]) => command));
    expect(commands.length).toBeGreaterThan(3);
    expect(commands.filter((command) => command !== "docker compose --profile '*' down")).toEqual([]);
  });

  it('allows private targets of .env to reach this machine, and none without WEBHOOK_ALLOWED_TARGETS (decision 32)', () => {
    const allowed = Object.entries(compose.services).filter(
      ([, { environment }]) => environment?.['WEBHOOK_ALLOWED_TARGETS'] !== undefined,
    );
    expect(allowed.map(([name]) => name).sort()).toEqual(['auto-reply', 'outbound-webhook-dispatcher', 'standalone']);
    for (const [name, { environment, extra_hosts }] of allowed) {
      const hosts = '${WEBHOOK_ALLOWED_TARGETS:-}';
      expect([name, environment?.['WEBHOOK_ALLOWED_TARGETS'], extra_hosts]).toEqual([name, hosts, ['host.docker.internal:host-gateway']]);
    }
  });

  it('scrapes every service in the profile "observability", with alerts and dashboard, and exposes only the dashboard, to this machine', () => {
    const withProfile = Object.entries(compose.services).filter(([, { profiles }]) => profiles?.includes('observability'));
    expect(withProfile.map(([name, { profiles, ports }]) => [name, profiles, ports])).toEqual([
      ['prometheus', ['observability'], undefined],
      ['grafana', ['observability'], ['127.0.0.1:3000:3000']],
    ]);
    const prometheus = parse(file('deploy/prometheus/prometheus.yaml')) as {
      rule_files: string[];
      scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[];
    };
    const gathered = prometheus.scrape_configs.flatMap(({ dns_sd_configs }) => dns_sd_configs);
    expect(gathered.flatMap(({ names }) => names).sort()).toEqual([...configured.keys()].sort());
    expect(gathered.map(({ port }) => String(port))).toEqual([/PROBE_PORT=(\d+)/.exec(file('Dockerfile'))?.[1]]);
    for (const name of prometheus.rule_files) expect(file(`deploy/prometheus/${name}`)).toContain('groups:');
    const { datasources } = parse(file('deploy/grafana/provisioning/datasources/prometheus.yaml')) as { datasources: { url: string }[] };
    expect(datasources.map(({ url }) => url)).toEqual(['http://prometheus:9090']);
    const { providers } = parse(file('deploy/grafana/provisioning/dashboards/files.yaml')) as {
      providers: { options: { path: string } }[];
    };
    expect(compose.services['grafana']?.volumes).toContain(`./deploy/grafana/overview.json:${providers[0]?.options.path}/overview.json:ro`);
  });

  it.each([...configured.keys()])('gives %s all variables that it needs and none that it does not know', (app) => {
    const { environment = {} } = compose.services[app] as ComposeService;
    const settings = configured.get(app) ?? [];
    const known = new Set([...settings.map(({ name }) => name), ...COMMON]);
    const available = new Set([...Object.keys(environment), ...Object.keys(accessOf(app))]);
    expect([...available].filter((name) => !known.has(name))).toEqual([]);
    expect(settings.filter(({ name, required }) => required && !available.has(name)).map(({ name }) => name)).toEqual([]);
  });

  it('gives each service its own server users, hidden from other services (guarantees §9)', () => {
    const passwords = SERVICES.flatMap((app) =>
      ['DATABASE_URL', 'NATS_URL', ...(app === 'gateway' ? ['REDIS_URL'] : [])].map((name) => new URL(accessOf(app)[name] ?? '').password),
    );
    expect(new Set(passwords.filter((password) => password !== '')).size).toBe(passwords.length);
    expect(new Set(SERVICES.map((app) => new URL(accessOf(app)['DATABASE_URL'] ?? '').username)).size).toBe(SERVICES.length);
    for (const app of SERVICES) expect(new URL(accessOf(app)['NATS_URL'] ?? '').username).toBe(app);
    const mounts = (name: string) => compose.services[name]?.volumes ?? [];
    for (const app of configured.keys()) expect([app, mounts(app)]).toEqual([app, [`access-${app}:/access:ro`]]);
    const migrations = Object.entries(compose.services).filter(([name]) => name.startsWith('migrate-'));
    expect(migrations.map(([, { image }]) => image).sort()).toEqual(SERVICES.map((app) => `messaging-gateway/${app}`).sort());
    for (const [name, { image }] of migrations) expect([name, mounts(name)]).toEqual([name, [`access-${image.split('/')[1]}:/access:ro`]]);
    expect(mounts('secrets').slice(1).sort()).toEqual([...made.keys(), 'redis'].map((name) => `access-${name}:/access/${name}`).sort());
    const all = Object.keys(compose.services).filter((name) => mounts(name).some((volume) => volume.startsWith('stack:')));
    expect(all.sort()).toEqual(['demo', 'roles', 'secrets']);
  });

  it('takes every character of POSTGRES_PASSWORD, and puts no secret into an address', () => {
    const valuesWith = (name: string, POSTGRES_PASSWORD: string) =>
      Object.fromEntries(
        Object.entries(compose.services[name]?.environment ?? {}).map(([variable, value]) => [
          variable,
          value.replace('${POSTGRES_PASSWORD:-local}', POSTGRES_PASSWORD),
        ]),
      );
    // The client takes the address as tools/access/postgres.mjs passes it.
    const script =
      "const { host, port, user, password, database } = new (require('pg').Client)({ connectionString: process.env.DATABASE_URL });" +
      'console.log(JSON.stringify({ host, port, user, password, database }))';
    for (const password of ['local', 'a/b#c', 'p@ss?w%41:$']) {
      const { POSTGRES_USER: user, POSTGRES_PASSWORD, POSTGRES_DB: database } = valuesWith('postgres', password);
      const env = valuesWith('roles', password) as unknown as NodeJS.ProcessEnv;
      const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8', env });
      expect([stdout && JSON.parse(stdout), stderr]).toEqual([
        { host: 'postgres', port: 5432, user, password: POSTGRES_PASSWORD, database },
        '',
      ]);
    }
    expect(file('docker-compose.yml')).not.toMatch(/:\/\/[^/\s]*\$\{\w*(?:PASSWORD|SECRET)/);
  });

  it('decision 734: bounds the log of every container that keeps running, unless LOG_DRIVER names another driver', () => {
    const running = Object.entries(compose.services).filter(([, { restart }]) => restart !== 'no');
    expect(running.map(([name]) => name)).toEqual(
      expect.arrayContaining([...SERVICES, 'standalone', 'postgres', 'nats', 'redis', 'grafana']),
    );
    for (const [name, { logging }] of running) expect([name, logging]).toEqual([name, { driver: '${LOG_DRIVER:-local}' }]);
  });

  it('waits for PostgreSQL until it accepts connections over the network, and tries again', async () => {
    // A server on the socket alone is the image's, while it creates the database.
    expect(compose.services['postgres']?.healthcheck?.test.join(' ')).toContain('pg_isready -h 127.0.0.1 ');

    let connections = 0;
    const refusal = Buffer.from('SFATAL\0C28P01\0Mwrong password\0\0');
    const length = Buffer.alloc(4);
    length.writeInt32BE(refusal.length + 4);
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      if ((connections += 1) === 1) socket.destroy();
      else socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, refusal])));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const dir = mkdtempSync(join(tmpdir(), 'mgw-roles-'));
    makeSecrets(dir);
    const env = { DATABASE_URL: `postgresql://gateway@127.0.0.1:${(server.address() as AddressInfo).port}/gateway`, PGPASSWORD: 'local' };
    const roles = spawn(process.execPath, ['tools/start/compose-roles.mjs', dir], { cwd: ROOT, env: env as unknown as NodeJS.ProcessEnv });
    let stderr = '';
    roles.stderr.on('data', (chunk) => (stderr += String(chunk)));
    const [code] = (await once(roles, 'close')) as [number];
    expect([connections, code, stderr]).toEqual([2, 1, expect.stringContaining('wrong password')]);
    server.close();
    rmSync(dir, { recursive: true });
  });

  it('has a configuration that NATS accepts with the generated passwords', () => {
    const dir = mkdtempSync(join(tmpdir(), 'mgw-nats-conf-'));
    copyFileSync(join(ROOT, 'deploy/nats/users.conf'), join(dir, 'users.conf'));
    // Servers before 2.10 do not know this setting.
    writeFileSync(join(dir, 'nats.conf'), file('deploy/nats/nats.conf').replace(/^ *sync_interval: always\n/m, ''));
    const env = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/bin`, ...accessOf('nats') };
    const checked = spawnSync('nats-server', ['-t', '-c', join(dir, 'nats.conf')], { encoding: 'utf8', env });
    expect([checked.status, checked.stderr]).toEqual([0, expect.stringMatching(/is valid/)]);
    rmSync(dir, { recursive: true });
  });

  it('starts services in the order of health checks, with images that are built here or pinned', () => {
    for (const [name, { depends_on = {}, image, build }] of Object.entries(compose.services)) {
      for (const on of Object.keys(depends_on)) expect([name, on, on in compose.services]).toEqual([name, on, true]);
      const app = /^messaging-gateway\/(.+)$/.exec(image)?.[1];
      if (app === undefined) expect(image).toMatch(/^[a-z/]+:v?\d/);
      else expect([name, configured.has(app) || app === 'standalone']).toEqual([name, true]);
      if (build) expect([name, build.args?.APP]).toEqual([name, app]);
    }
    for (const name of ['postgres', 'nats', 'redis']) expect(compose.services[name]?.healthcheck).toBeDefined();
    for (const app of [...configured.keys(), 'standalone']) {
      const isBuilt = Object.values(compose.services).some(
        ({ image, build }) => image === `messaging-gateway/${app}` && build !== undefined,
      );
      expect([app, isBuilt]).toEqual([app, true]);
    }
  });

  /** The stack decides these itself: addresses, users and keys, ports inside, and one gateway. */
  const FIXED = [
    'PROBE_PORT',
    'DATABASE_URL',
    'NATS_URL',
    'REDIS_URL',
    'SEALING_KEYS',
    'API_KEY_PEPPER',
    'GATEWAY_PORT',
    'GATEWAY_HOST',
    'GATEWAY_REPLICAS',
  ];

  it.each(SERVICES)('passes each documented variable of %s that the stack does not decide', (app) => {
    const environment = compose.services[app]?.environment ?? {};
    const names = (configured.get(app) ?? []).map(({ name }) => name).filter((name) => !FIXED.includes(name));
    expect(names.filter((name) => !environment[name]?.startsWith(`\${${name}:-`))).toEqual([]);
  });

  it('reads exactly the variables of .env.example, which docs/configuration.md describes', () => {
    const read = [...file('docker-compose.yml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name);
    const named = [...file('.env.example').matchAll(/^#? ?([A-Z_]+)=/gm)].map(([, name = '']) => name);
    expect(named).toContain('PUBLIC_URL');
    expect(named.toSorted()).toEqual([...new Set(read)].sort());
    const ofCompose = ['COMPOSE_PROFILES', 'GATEWAY_BIND', 'LOG_DRIVER', 'POSTGRES_PASSWORD'];
    expect(named.filter((name) => !ofCompose.includes(name) && !file('docs/configuration.md').includes(`\`${name}\``))).toEqual([]);
    for (const name of ofCompose) expect(file('.env.example')).toContain(`${name}=`);
  });

  it('gives lists their documented defaults, because an empty list is none', () => {
    const lists = new Map<string, string>();
    for (const { name, fallback } of [...configured.values()].flat())
      if (Array.isArray(fallback) && !FIXED.includes(name)) lists.set(name, fallback.join());
    expect(lists.get('WEBHOOK_PORTS')).toBe('443,8443');
    for (const [name, fallback] of lists) expect(file('docker-compose.yml')).toContain(`\${${name}:-${fallback}}`);
  });
});

type Manifest = Record<string, unknown> & { kind: string; metadata: { name: string } };
const sumOf = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);
const KINDS = {
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  Ingress,
  NetworkPolicy,
  PodDisruptionBudget,
  ScaledObject,
  Service,
  ServiceAccount,
};

describe('the Helm chart', () => {
  const render = (change: Record<string, unknown> = {}) => renderChart(CHART, change) as Manifest[];
  const TRACED = { tracing: { endpoint: 'http://collector.monitoring:4318' } };
  const of = (manifests: Manifest[], kind: string) => manifests.filter((one) => one.kind === kind);

  it.each([
    ['as it is', {}],
    ['with traces', TRACED],
    ['with KEDA', { keda: { enabled: true } }],
    [
      'with an ingress, without network policies',
      { ingress: { enabled: true }, trustedProxies: ['10.244.0.0/16'], network: { enabled: false } },
    ],
  ])('%s: renders valid Kubernetes manifests', (_, change) => {
    const manifests = render(change);
    expect(of(manifests, 'Deployment')).toHaveLength(SERVICES.length);
    for (const manifest of manifests) {
      const Kind = KINDS[manifest.kind as keyof typeof KINDS];
      expect(Kind).toBeDefined();
      expect(() => new Kind(manifest as never).validate()).not.toThrow();
    }
  });

  it('lets every file that the gateway takes through the ingress, and takes another limit', () => {
    const limitWith = (annotations: object) => {
      const [ingress] = of(render({ ingress: { enabled: true, annotations }, trustedProxies: ['10.244.0.0/16'] }), 'Ingress');
      return (ingress?.metadata as never as { annotations: Record<string, string> }).annotations[
        'nginx.ingress.kubernetes.io/proxy-body-size'
      ];
    };
    const sizes = [...file('apps/gateway/src/media/file-kinds.ts').matchAll(/most: (\d+) \* MB/g)].map(([, megabytes]) =>
      Number(megabytes),
    );
    expect(sizes).toContain(100);
    expect(Number(/^(\d+)m$/.exec(limitWith({}) ?? '')?.[1])).toBeGreaterThan(Math.max(...sizes));
    expect(limitWith({ 'nginx.ingress.kubernetes.io/proxy-body-size': '8m' })).toBe('8m');
  });

  it('guarantees N2: requires trustedProxies with an ingress and passes them to the gateway', () => {
    expect(() => render({ ingress: { enabled: true } })).toThrow('trustedProxies is required with ingress.enabled');
    const proxies = ['10.244.0.0/16', 'fd00:10:244::/56'];
    const containers = of(render({ ingress: { enabled: true }, trustedProxies: proxies }), 'Deployment').map(
      (manifest) =>
        (manifest as never as { spec: { template: { spec: { containers: { name: string; env: object[] }[] } } } }).spec.template.spec
          .containers[0],
    );
    const trusting = containers.filter((one) => one?.env.some((variable) => (variable as { name: string }).name === 'TRUSTED_PROXIES'));
    expect(trusting.map((one) => one?.name)).toEqual(['gateway']);
    expect(trusting[0]?.env).toContainEqual({ name: 'TRUSTED_PROXIES', value: proxies.join() });
  });

  it('validates its values against their schema', () => {
    const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as object;
    const validate = new Ajv({ strict: false }).compile(schema);
    const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as Record<string, unknown>;
    expect(validate(values)).toBe(true);
    expect(validate({ ...values, probePort: 'x' })).toBe(false);
  });

  it('has a Deployment with probes, limits and a restricted container, a service account, a disruption budget and a migration for each service', () => {
    const manifests = render(TRACED);
    expect(
      of(manifests, 'Deployment')
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual([...SERVICES].sort());
    for (const kind of ['ServiceAccount', 'PodDisruptionBudget']) expect(of(manifests, kind)).toHaveLength(SERVICES.length);
    expect(
      of(manifests, 'Job')
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(SERVICES.map((app) => `migrate-${app}`).sort());
    for (const manifest of of(manifests, 'Deployment')) {
      const pod = (
        manifest as never as { spec: { template: { spec: Record<string, unknown> & { containers: Record<string, unknown>[] } } } }
      ).spec.template.spec;
      const [container] = pod.containers;
      expect(pod['automountServiceAccountToken']).toBe(false);
      expect(pod['securityContext']).toMatchObject({ runAsNonRoot: true });
      expect(container).toMatchObject({
        securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        // A loss of 30 s, or of 60 s if each probe times out (decision 759).
        readinessProbe: { httpGet: { path: '/readyz' }, periodSeconds: 2, timeoutSeconds: 3, failureThreshold: 15 },
        livenessProbe: { httpGet: { path: '/livez' } },
        resources: { limits: {}, requests: {} },
      });
    }
  });

  it('lets every node be drained, even with one replica of each service', () => {
    const services = Object.fromEntries(SERVICES.map((app) => [app, { replicas: 1, autoscaling: { enabled: false } }]));
    for (const manifests of [render(), render({ services })]) {
      const budgets = of(manifests, 'PodDisruptionBudget');
      expect(budgets.map(({ metadata }) => metadata.name).sort()).toEqual([...SERVICES].sort());
      for (const { metadata, spec } of budgets) {
        const { selector, ...bounds } = spec as { selector: object };
        const matchLabels = { 'app.kubernetes.io/name': metadata.name };
        expect([selector, bounds]).toEqual([{ matchLabels }, { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' }]);
      }
    }
  });

  it('is upgraded with a timeout that is longer than a migration may take', () => {
    const seconds = of(render(), 'Job').map(({ spec }) => (spec as { activeDeadlineSeconds: number }).activeDeadlineSeconds);
    const minutes = Number(/`helm upgrade --timeout (\d+)m`/.exec(file('docs/operations.md'))?.[1]);
    expect(minutes * 60).toBeGreaterThan(Math.max(...seconds));
  });

  describe('with KEDA', () => {
    interface Scaled {
      triggers: { type: string; metricType?: string; metadata: Record<string, string> }[];
      fallback?: { replicas: number };
    }
    const KEDA = { keda: { enabled: true, prometheus: 'http://prometheus.here:9090', waiting: 50 } };
    const autoscaled = { services: Object.fromEntries(SERVICES.map((app) => [app, { autoscaling: { enabled: true } }])) };
    const scaled = () =>
      new Map(of(render({ ...KEDA, ...autoscaled }), 'ScaledObject').map(({ metadata, spec }) => [metadata.name, spec as Scaled]));
    const consumes = (app: string) => Object.keys(ACCESS.SERVICES[app]?.consumes ?? {});

    it('scales a service with a ScaledObject, or with a HorizontalPodAutoscaler without KEDA, never both', () => {
      const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as {
        services: Record<string, { autoscaling: { enabled: boolean } }>;
      };
      const scaling = SERVICES.filter((app) => values.services[app]?.autoscaling.enabled).sort();
      const namesOf = (kind: string, change = {}) => of(render(change), kind).map(({ metadata }) => metadata.name);
      expect(namesOf('HorizontalPodAutoscaler').sort()).toEqual(scaling);
      expect(namesOf('ScaledObject')).toEqual([]);
      expect(namesOf('HorizontalPodAutoscaler', KEDA)).toEqual([]);
      expect(namesOf('ScaledObject', KEDA).sort()).toEqual(scaling);
    });

    it('scales dispatchers by deliveries waiting in PostgreSQL and by CPU, with a fallback of six replicas', () => {
      const { triggers, fallback } = scaled().get('outbound-webhook-dispatcher') as Scaled;
      expect(triggers.map(({ type }) => type)).toEqual(['cpu', 'prometheus']);
      expect(triggers[1]).toMatchObject({
        metricType: 'AverageValue',
        metadata: {
          serverAddress: 'http://prometheus.here:9090',
          // Every replica exports the total.
          query: 'max(mgw_service_metric{metric="deliveries_waiting"})',
          threshold: '50',
          // A missing metric must not count as an empty backlog.
          ignoreNullValues: 'false',
        },
      });
      expect(fallback).toMatchObject({ replicas: 6 });
    });

    it('scales other services by the backlog of their own consumers or of PostgreSQL, and by CPU', () => {
      const inPostgres = new Map([
        ['outbound-webhook-dispatcher', 'deliveries_waiting'],
        ['auto-reply', 'replies_waiting'],
      ]);
      const consumers = SERVICES.flatMap(consumes);
      expect([...scaled().keys()].sort()).toEqual([...SERVICES].sort());
      for (const [app, { triggers, fallback }] of scaled()) {
        const [cpu, backlog] = triggers;
        const query = backlog?.metadata['query'] ?? '';
        const [, pattern = ''] = /^max\(mgw_events_waiting\{consumer=~"([^"]+)"\}\)$/.exec(query) ?? [];
        const [, metric] = /^max\(mgw_service_metric\{metric="(\w+)"\}\)$/.exec(query) ?? [];
        const scaledBy = metric ?? consumers.filter((consumer) => new RegExp(`^(?:${pattern})$`).test(consumer));
        expect([app, cpu?.type, scaledBy]).toEqual([app, 'cpu', inPostgres.get(app) ?? consumes(app)]);
        // KEDA refuses a fallback with CPU alone.
        expect([app, fallback !== undefined]).toEqual([app, app === 'outbound-webhook-dispatcher']);
      }
    });
  });

  it('scales down at the configured rate, with KEDA or without', () => {
    const scaleDown = { stabilizationWindowSeconds: 77 };
    const [scaler] = of(render({ scaleDown }), 'HorizontalPodAutoscaler');
    const [scaled] = of(render({ scaleDown, keda: { enabled: true } }), 'ScaledObject');
    expect(scaler?.spec).toMatchObject({ behavior: { scaleDown } });
    expect(scaled?.spec).toMatchObject({ advanced: { horizontalPodAutoscalerConfig: { behavior: { scaleDown } } } });
  });

  it('passes the maximum number of gateways to each gateway, so that limits hold without Redis (guarantees §7, decision 22)', () => {
    const replicas = (gateway: object) => {
      const deployment = of(render({ services: { gateway } }), 'Deployment').find(({ metadata }) => metadata.name === 'gateway');
      const { template } = deployment?.spec as { template: { spec: { containers: { env: { name: string; value?: string }[] }[] } } };
      return template.spec.containers[0]?.env.find(({ name }) => name === 'GATEWAY_REPLICAS')?.value;
    };
    expect(replicas({ replicas: 2, autoscaling: { enabled: true, max: 10 } })).toBe('10');
    expect(replicas({ replicas: 3, autoscaling: { enabled: false, max: 10 } })).toBe('3');
  });

  it('runs only commands that the image contains', () => {
    const commands = [...JSON.stringify(render()).matchAll(/"(?:exec|command)":(\{"command":)?\["([^"]+)"/g)].map(
      ([, , program]) => program,
    );
    expect([...new Set(commands)]).toEqual(['node']);
  });

  it('gives each container the variables that it needs and only its own secrets (guarantees §9)', () => {
    interface Variable {
      name: string;
      valueFrom?: { secretKeyRef: { name: string; key: string } };
    }
    const variablesOf = (manifest: Manifest) =>
      (manifest as never as { spec: { template: { spec: { containers: { env: Variable[]; envFrom?: object[] }[] } } } }).spec.template.spec
        .containers[0];
    const manifests = render();
    for (const manifest of of(manifests, 'Deployment')) {
      const app = manifest.metadata.name;
      const settings = configured.get(app) ?? [];
      const { env = [], envFrom } = variablesOf(manifest) ?? {};
      const names = env.map(({ name }) => name);
      const known = new Set([...settings.map(({ name }) => name), ...COMMON]);
      expect([app, names.filter((name) => !known.has(name)), envFrom]).toEqual([app, [], undefined]);
      expect([app, settings.filter(({ name, required }) => required && !names.includes(name))]).toEqual([app, []]);
      const secret = new Map(settings.filter((setting) => setting.secret).map(({ name, required }) => [name, required]));
      for (const { name, valueFrom } of env.filter((variable) => secret.has(variable.name))) {
        const optional = secret.get(name) ? {} : { optional: true };
        const from = name.endsWith('_URL') ? `messaging-gateway-connections-${app}` : 'messaging-gateway-settings';
        expect([app, name, valueFrom]).toEqual([app, name, { secretKeyRef: { name: from, key: name, ...optional } }]);
      }
    }
    for (const manifest of of(manifests, 'Job')) {
      const name = `messaging-gateway-connections-${manifest.metadata.name.replace('migrate-', '')}`;
      const { env, envFrom } = variablesOf(manifest) ?? {};
      expect(env).toEqual([{ name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name, key: 'DATABASE_URL' } } }]);
      expect(envFrom).toBeUndefined();
    }
  });

  it('runs with the images, secrets and values of docs/operations.md', () => {
    const section =
      file('docs/operations.md')
        .split('\n## ')
        .find((text) => text.startsWith('Kubernetes\n')) ?? '';
    const values = parse(/```yaml\n([\s\S]*?)```/.exec(section)?.[1] ?? '') as Record<string, unknown>;
    const created = [...section.matchAll(/kubectl create secret generic (\S+) ((?:.*\\\n)*.*)/g)].map(([, name = '', keys = '']) => [
      name,
      [...keys.matchAll(/--from-literal=(\w+)=/g)].map(([, key]) => key).sort(),
    ]);
    const [, registry] = /IMAGES=(\S+)/.exec(section) ?? [];
    const apps = /for app in (.*); do/.exec(section)?.[1]?.split(' ') ?? [];
    interface Container {
      image: string;
      env: { valueFrom?: { secretKeyRef?: { name: string; key: string; optional?: boolean } } }[];
    }
    const containers = of(render(values), 'Deployment').map(
      ({ spec }) => (spec as { template: { spec: { containers: [Container] } } }).template.spec.containers[0],
    );
    expect(containers.map(({ image }) => image).sort()).toEqual(apps.map((app) => `${registry}/${app}:1.0.0`).sort());
    const needed = containers.flatMap(({ env }) => env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []));
    const keysOf = (secret: string) => needed.flatMap(({ name, key, optional }) => (name === secret && !optional ? [key] : []));
    expect(created).toHaveLength(3);
    expect(created).toEqual(created.map(([name]) => [name, [...new Set(keysOf(String(name)))].sort()]));
  });

  it('uses the pull secret of a private registry for every image, even for migrations', () => {
    const manifests = render({ image: { pullSecrets: ['registry-login'], pullPolicy: 'Always' } });
    const pods = [...of(manifests, 'Deployment'), ...of(manifests, 'Job')];
    expect(pods).toHaveLength(2 * SERVICES.length);
    for (const { kind, metadata, spec } of pods) {
      const pod = (spec as { template: { spec: { imagePullSecrets?: object[]; containers: { imagePullPolicy?: string }[] } } }).template
        .spec;
      const pulled = [pod.imagePullSecrets, pod.containers.map(({ imagePullPolicy }) => imagePullPolicy)];
      expect([kind, metadata.name, pulled]).toEqual([kind, metadata.name, [[{ name: 'registry-login' }], ['Always']]]);
    }
  });

  it('configures the trace collector for every service, and allows traffic to it, only if one is set', () => {
    const portsWith = (change: object) => {
      const manifests = render({ ...change });
      const closed = of(manifests, 'NetworkPolicy').find(({ metadata }) => metadata.name === 'messaging-gateway-default');
      const exporting = of(manifests, 'Deployment').filter((one) => JSON.stringify(one).includes('"http://collector.monitoring:4318"'));
      return [JSON.stringify(closed?.['spec']).includes('"port":4318'), exporting.length];
    };
    expect(portsWith({})).toEqual([false, 0]);
    expect(portsWith(TRACED)).toEqual([true, SERVICES.length]);
  });

  it('reads the collector’s headers from an optional secret (guarantees §9)', () => {
    const headers = (change: object) =>
      of(render({ ...change }), 'Deployment').map(({ spec }) => {
        const [container] = (spec as { template: { spec: { containers: { env: { name: string }[] }[] } } }).template.spec.containers;
        return container?.env.filter(({ name }) => name === 'OTEL_EXPORTER_OTLP_HEADERS');
      });
    const secretKeyRef = { name: 'messaging-gateway-settings', key: 'OTEL_EXPORTER_OTLP_HEADERS', optional: true };
    expect(headers({})).toEqual(SERVICES.map(() => []));
    expect(headers(TRACED)).toEqual(SERVICES.map(() => [{ name: 'OTEL_EXPORTER_OTLP_HEADERS', valueFrom: { secretKeyRef } }]));
  });

  describe('network policies', () => {
    interface Egress {
      to: { ipBlock?: { cidr: string }; namespaceSelector?: { matchLabels: Record<string, string> } }[];
      ports: { port: number }[];
    }
    const egressOf = (manifests: Manifest[], name: string) =>
      (of(manifests, 'NetworkPolicy').find(({ metadata }) => metadata.name === name)?.['spec'] as { egress: Egress[] }).egress;
    const portsOf = (egress: Egress[]) => egress.flatMap(({ ports }) => ports.map(({ port }) => port));

    it('lets only services that call the platform, receivers or models leave the cluster', () => {
      const outside = of(render(), 'NetworkPolicy').filter(({ metadata }) => metadata.name.endsWith('-outside'));
      expect(outside.map(({ metadata }) => metadata.name).sort()).toEqual([
        'auto-reply-outside',
        'gateway-outside',
        'outbound-webhook-dispatcher-outside',
        'send-outside',
        'template-outside',
      ]);
    });

    it('opens the ports of WEBHOOK_PORTS, by default 443 and 8443, and 443 for WhatsApp (decision 32)', () => {
      const portsWith = (change: object) => {
        const manifests = render({ ...change });
        const configuredPorts = of(manifests, 'Deployment').flatMap(({ metadata, spec }) => {
          const { template } = spec as { template: { spec: { containers: { env: { name: string; value?: string }[] }[] } } };
          const ports = template.spec.containers[0]?.env.find(({ name }) => name === 'WEBHOOK_PORTS')?.value;
          return ports === undefined ? [] : [[metadata.name, ports]];
        });
        const outside = ['auto-reply', 'outbound-webhook-dispatcher', 'gateway', 'send', 'template'];
        return [Object.fromEntries(configuredPorts), ...outside.map((app) => portsOf(egressOf(manifests, `${app}-outside`)).join())];
      };
      const both = (ports: string) => ({ 'auto-reply': ports, 'outbound-webhook-dispatcher': ports });
      expect(portsWith({})).toEqual([both('443,8443'), '443,8443', '443,8443', '443', '443', '443']);
      expect(portsWith({ webhookPorts: [8443, 9443, 10443] })).toEqual([
        both('8443,9443,10443'),
        '8443,9443,10443',
        '8443,9443,10443',
        '443',
        '443',
        '443',
      ]);
    });

    it('supports other ports and external data services', () => {
      const data = (change: object) =>
        egressOf(render({ ...change }), 'messaging-gateway-default').filter(
          ({ to }) => to[0]?.namespaceSelector?.matchLabels['kubernetes.io/metadata.name'] === 'data',
        );
      expect(portsOf(data({}))).toEqual([5432, 4222, 6379]);
      expect(portsOf(data({ network: { dataPorts: [6432, 4222, 6379] } }))).toEqual([6432, 4222, 6379]);
      expect(data({ network: { dataNamespace: '' } })).toEqual([]);

      const extraEgress = [
        { to: [{ ipBlock: { cidr: '10.20.0.0/16' } }, { ipBlock: { cidr: '203.0.113.7/32' } }], ports: [{ port: 6432 }, { port: 6380 }] },
        { to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'nats' } } }], ports: [{ port: 4222 }] },
      ];
      const manifests = render({ network: { dataNamespace: '', extraEgress } });
      const migrations = egressOf(manifests, 'messaging-gateway-migrations');
      expect(migrations).toEqual(egressOf(manifests, 'messaging-gateway-default'));
      expect(egressOf(render(), 'messaging-gateway-migrations')).toEqual(egressOf(render(), 'messaging-gateway-default'));
      for (const policy of of(manifests, 'NetworkPolicy')) expect(() => new NetworkPolicy(policy as never).validate()).not.toThrow();
      expect(egressOf(manifests, 'messaging-gateway-default').slice(1)).toEqual(extraEgress);
    });

    it('lets migrations reach the data services of new values, before the upgrade changes the other policies', () => {
      interface Hook {
        metadata: { annotations: Record<string, string> };
        spec: { podSelector: { matchLabels: Record<string, string> } };
      }
      const manifests = render();
      const policy = of(manifests, 'NetworkPolicy').find(
        ({ metadata }) => metadata.name === 'messaging-gateway-migrations',
      ) as never as Hook;
      for (const job of of(manifests, 'Job') as never as (Hook & { spec: { template: { metadata: { labels: object } } } })[]) {
        expect(policy.metadata.annotations['helm.sh/hook']).toBe(job.metadata.annotations['helm.sh/hook']);
        expect(Number(policy.metadata.annotations['helm.sh/hook-weight'])).toBeLessThan(
          Number(job.metadata.annotations['helm.sh/hook-weight'] ?? 0),
        );
        expect(job.spec.template.metadata.labels).toMatchObject(policy.spec.podSelector.matchLabels);
      }
      for (const service of of(manifests, 'Deployment') as never as { spec: { template: { metadata: { labels: object } } } }[])
        expect(service.spec.template.metadata.labels).not.toMatchObject(policy.spec.podSelector.matchLabels);
    });
  });
});

describe('alerts and the Grafana dashboard', () => {
  interface Rule {
    alert: string;
    expr: string;
  }
  const rules = (parse(file('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);
  const panels = (JSON.parse(file('deploy/grafana/overview.json')) as { panels: { title: string; targets: { expr: string }[] }[] }).panels;
  const alert = (name: string) => rules.find((rule) => rule.alert === name)?.expr ?? '';
  const panel = (title: string) => panels.find((one) => one.title === title)?.targets.map(({ expr }) => expr) ?? [];

  it('alerts by name for each service without a running replica, whose metrics are missing', () => {
    const missed = [...alert('ServiceDown').matchAll(/absent\(mgw_service_info\{service_name="([^"]+)"\}\)/g)].map(([, name]) => name);
    expect(missed.sort()).toEqual([...SERVICES].sort());
  });

  it('CallbacksLate fires while callbacks of the platform are not split', () => {
    expect(alert('CallbacksLate')).toContain('mgw_service_metric{metric="callbacks_oldest_seconds"}');
  });

  it('compares labels with values that the services give them', () => {
    const sources = ['apps', 'libs'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\/src\/.*(?<!\.spec|\.fixture|\.part)\.ts$/.test(name))
        .map((name) => file(join(folder, name))),
    );
    const expressions = [...rules.map(({ expr }) => expr), ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))];
    const values = expressions.flatMap((expression) =>
      [...expression.matchAll(/\b(?:outcome|by|state|event)!?="([^"]+)"/g)].map(([, value = '']) => value),
    );
    expect(values).toEqual(expect.arrayContaining(['responded', 'retry', 'refused']));
    expect(values.filter((value) => !sources.some((source) => source.includes(`'${value}'`)))).toEqual([]);
  });

  it('alerts from the first dead letter of every service, until none is left (guarantees §2, §4)', () => {
    expect(alert('DeadLetters')).toBe('max by (service_name) (mgw_service_metric{metric="dead_letters"}) > 0');
  });

  it('measures the send latency over all send endpoints (spec §4)', () => {
    const { paths } = JSON.parse(file('docs/api/openapi.json')) as { paths: Record<string, object> };
    const sends = Object.keys(paths).filter((path) => /^\/api\/v1\/.*send/.test(path));
    expect(sends.length).toBeGreaterThan(4);
    const expressions = [alert('SlowSends'), ...panel('Send duration')];
    expect(expressions).toHaveLength(3);
    for (const expression of expressions) {
      const [, pattern = ''] = /route=~"([^"]+)"/.exec(expression) ?? [];
      expect(Object.keys(paths).filter((path) => new RegExp(`^(?:${pattern})$`).test(path))).toEqual(sends);
    }
  });

  it('shows only refusals in the panel of limits, with Redis and without', () => {
    const limiter = panel('Refusals by limits and caps').filter((expression) => expression.includes('mgw_rate_limit_decisions_total'));
    expect(limiter).toEqual(['sum by (by) (rate(mgw_rate_limit_decisions_total{outcome="refused"}[5m]))']);
  });
});

describe('docs/guarantees.md', () => {
  const sections = file('docs/guarantees.md')
    .split('\n### ')
    .filter((section) => section.includes('\n| Holds '));

  it('counts the consumers of each service, whose messages take memory', () => {
    const counted = sections.map((section) => [section.split('\n')[0], Number(/^\| (\d+) consumers? /m.exec(section)?.[1] ?? 0)]);
    expect(Object.fromEntries(counted)).toEqual(
      Object.fromEntries(Object.entries(ACCESS.SERVICES).map(([app, { consumes }]) => [app, Object.keys(consumes).length])),
    );
  });

  it('names bounds that the code has where it says so', () => {
    const rows = file('docs/guarantees.md').matchAll(/((?:`\w+`, )*`\w+`) in `((?:apps|libs|tools)\/\S+\.\w+)`/g);
    const named = [...rows].flatMap(([, names = '', path = '']) => names.split(', ').map((name) => [name.replaceAll('`', ''), path]));
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(([name = '', path = '']) => !new RegExp(`\\b${name}\\b`).test(file(path)))).toEqual([]);
  });

  it('adds up the memory of each process, and that of all services in one', () => {
    const tables = sections.map((section) => {
      const rows = [...section.matchAll(/^\| (.*?) +\|.*\| +(?:\*\*)?(\d+)(?:\*\*)? \|$/gm)].map(
        ([, what, megabytes]) => [what, Number(megabytes)] as const,
      );
      const { '**total**': total = 0, 'room in 256 MB': room, ...parts } = Object.fromEntries(rows);
      return { service: section.split('\n')[0], total, room, idle: parts['the idle process'] ?? 0, sum: sumOf(Object.values(parts)) };
    });
    expect(tables.map(({ service }) => service).sort()).toEqual([...SERVICES].sort());
    for (const { service, total, room, sum } of tables) expect({ service, total, room }).toEqual({ service, total: sum, room: 256 - sum });
    const together = sumOf(tables.map(({ total, idle }) => total - idle)) + Math.max(...tables.map(({ idle }) => idle));
    const heap = Number(/^const STANDALONE_OPTIONS = .*--max-old-space-size=(\d+)/m.exec(file('tools/start/stack.mjs'))?.[1]);
    expect(together).toBeLessThan(heap);
    expect(file('docs/guarantees.md')).toContain(
      `is idle once: ${together.toLocaleString('en')} MB of a heap of ${heap.toLocaleString('en')} `,
    );
  });
});

describe('Dockerfile', () => {
  it('gives V8 the same memory as npm start and the benchmark', () => {
    const optionsIn = (path: string) => /\bNODE_OPTIONS ?= ?["']([^"']+)["']/.exec(file(path))?.[1];
    expect(optionsIn('Dockerfile')).toMatch(/^--max-semi-space-size=\d+ --max-old-space-size=\d+ --v8-pool-size=\d+$/);
    expect(optionsIn('tools/start/supervised.mjs')).toBe(optionsIn('Dockerfile'));
  });

  it('gives a service the same shutdown time in the chart and with npm start', () => {
    const seconds = Number(/^terminationGracePeriodSeconds: (\d+)$/m.exec(file('deploy/helm/messaging-gateway/values.yaml'))?.[1]);
    expect(file('tools/start/stack.mjs')).toContain(`const GRACE_MS = ${seconds}_000;`);
  });

  it('passes the Dockerfile validator', () => {
    expect(lintDockerfile(file('Dockerfile'))).toEqual([]);
    expect(lintDockerfile('FROM node\nEXPOS 80\n')).toHaveLength(1);
  });

  it('runs as an unprivileged user with a health check, on a pinned base without a shell', () => {
    const lines = file('Dockerfile').split('\n');
    const bases = lines.filter((line) => line.startsWith('FROM')).map((line) => line.split(' ')[1]);
    expect(
      bases.filter((base) => !/^(node:\d+-\w+-slim|source|gcr\.io\/distroless\/nodejs\d+-debian\d+:nonroot)$/.test(base ?? '')),
    ).toEqual([]);
    expect(bases.at(-1)).toMatch(/distroless/);
    const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM')));
    for (const instruction of ['USER 65532:65532', 'HEALTHCHECK', 'ENTRYPOINT'])
      expect(last.some((line) => line.startsWith(instruction))).toBe(true);
  });
});
