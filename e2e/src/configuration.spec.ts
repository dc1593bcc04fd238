import { spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { eventually, spawnNode } from '@mgw/testing';

const KEYS = `k1:${Buffer.alloc(32).toString('base64')}`;
const GOOD = {
  NATS_URL: 'nats://127.0.0.1:1',
  DATABASE_URL: 'postgresql://127.0.0.1:1/x',
  REDIS_URL: 'redis://127.0.0.1:1',
  SEALING_KEYS: KEYS,
  API_KEY_PEPPER: 'x'.repeat(32),
};

describe('invalid configuration', () => {
  /** The output of an app until it exits. */
  const startedWith = async (app: string, env: Record<string, string>) => {
    const child = spawnNode(join(__dirname, '../../dist/apps', app, 'src/main.js'), { ...GOOD, ...env });
    try {
      expect(await child.exited).toEqual({ code: 1, signal: null });
      return await eventually(() => {
        const lines = child.output().trim().split('\n');
        return lines.map((line) => JSON.parse(line) as { level: string; err: { msg: string } }).find(({ level }) => level === 'fatal');
      });
    } finally {
      await child.kill('SIGKILL');
    }
  };
  /** The names of the reported variables. */
  const faultsOf = async (app: string, env: Record<string, string>) => {
    const { err } = await startedWith(app, env);
    return [...err.msg.matchAll(/^ {2}- (\w+) /gm)].map(([, name]) => name).sort();
  };

  it.each([
    ['gateway', { GATEWAY_PORT: 'x', TRUSTED_PROXIES: 'foo, 10.0.0.0/8' }],
    ['send', { NATS_URL: 'nats://[', LOG_LEVEL: 'verbose', OTEL_TRACES_SAMPLER: 'some', OTEL_TRACES_SAMPLER_ARG: '7' }],
    ['outbound-webhook-dispatcher', { NODE_ENV: 'prod', WEBHOOK_ALLOWED_TARGETS: 'exa mple,localhost', WEBHOOK_PORTS: '443,https' }],
    ['auto-reply', { WEBHOOK_ALLOWED_TARGETS: '10.0.0.0/33' }],
    ['template', {}],
    ['platform-webhook-ingest', {}],
  ])('%s reports all problems at once, in one line of JSON: %j', async (app, env) => {
    expect(await faultsOf(app, { ...env, SEALING_KEYS: 'bad' })).toEqual([...Object.keys(env), 'SEALING_KEYS'].sort());
  });

  it('names the invalid entry and reveals no secret', async () => {
    const { err } = await startedWith('gateway', { TRUSTED_PROXIES: '10.0.0.1,foo', SEALING_KEYS: 'k1:canary' });
    expect(err.msg).toContain('"foo"');
    expect(err.msg).not.toContain('canary');
  });

  it('standalone reports the problems of all services before any of them starts', async () => {
    const child = spawnNode(join(__dirname, '../../dist/apps/standalone/src/main.js'), {
      ...GOOD,
      GATEWAY_PORT: 'x',
      BROADCAST_PER_SECOND: '0',
      WEBHOOK_PORTS: 'x',
    });
    expect(await child.exited).toEqual({ code: 1, signal: null });
    const lines = await eventually(() => {
      const parsed = child
        .output()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { level: string; service: string; msg: string });
      return parsed.some(({ level }) => level === 'fatal') && parsed;
    });
    const services = ['gateway', 'broadcast', 'auto-reply', 'outbound-webhook-dispatcher'];
    expect(lines.map(({ level, msg }) => `${level}: ${msg}`)).toEqual(services.map((name) => `fatal: ${name} could not start`));
  });

  it('names the variable of a port in use', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => taken.listen(0, '0.0.0.0', () => resolve((taken.address() as AddressInfo).port)));
    try {
      const { err } = await startedWith('send', { PROBE_PORT: String(port) });
      expect(err.msg).toMatch(/^PROBE_PORT: .*EADDRINUSE/);
    } finally {
      taken.close();
    }
  });

  it('names ENV_FILE if it cannot be read', async () => {
    const { err } = await startedWith('standalone', { ENV_FILE: '/nowhere/{service}.env' });
    expect(err.msg).toMatch(/^ENV_FILE cannot be read: .*\/nowhere\/gateway\.env/);
    const image = spawnSync(process.execPath, ['deploy/docker/run.mjs'], {
      cwd: join(__dirname, '../..'),
      env: { APP: 'send', ENV_FILE: '/nowhere/env' },
      encoding: 'utf8',
    });
    expect([image.status, image.stderr]).toEqual([1, expect.stringMatching(/^ENV_FILE cannot be read: .*\/nowhere\/env'\n$/)]);
  });
});
