import { ConfigError } from '@mgw/config';
import { GatewayConfig } from './gateway.config';

const GOOD = {
  DATABASE_URL: 'postgresql://db',
  NATS_URL: 'nats://nats',
  REDIS_URL: 'redis://redis',
  SEALING_KEYS: `1:${'A'.repeat(43)}=`,
  API_KEY_PEPPER: 'p',
};
/** The names of the refused variables. */
function refused(env: Record<string, string>): string[] {
  try {
    GatewayConfig.load({ ...GOOD, ...env });
    return [];
  } catch (error) {
    return (error as ConfigError).faults.map((fault) => fault.split(' ', 1)[0] ?? '');
  }
}

describe('the configuration of the gateway', () => {
  // The wrong URLs once ended the start without the variable's name, or left the service without its server.
  it.each([
    ['NODE_ENV', ['Production', 'prod']],
    ['TRUSTED_PROXIES', ['10.0.0.0/99']],
    [
      'PUBLIC_URL',
      [
        'gateway.example.com:443',
        'ftp://gateway.example.com',
        'https://gateway.example.com/wa',
        'https://gateway.example.com/?a',
        'https://gateway.example.com ',
      ],
    ],
    ['META_GRAPH_BASE_URL', ['graph.facebook.com:443', 'https://user:canary@graph.facebook.com']],
    ['META_GRAPH_VERSION', ['26.0', 'v26', 'v26.0/1', 'latest']],
    ['SMTP_FROM', ['Shop', 'shop.example.com', 'Shop <shop>', 'Shop <a@shop.example.com', 'Shop a@shop.example.com']],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ['collector:4318', 'grpc://collector:4317']],
    ['OTEL_EXPORTER_OTLP_HEADERS', ['authorization', 'authorization: canary', 'authorization=', 'a=b,=c', 'a=100%', 'a=b;c', '"a=b"']],
    ['OTEL_RESOURCE_ATTRIBUTES', ['team', 'team=a=b', '=a', 'team=100%']],
    ['OTEL_TRACES_SAMPLER_ARG', ['2', ' ']],
    ['OIDC_ISSUER', ['login.example.com:443']],
    ['DATABASE_URL', ['localhost:5432/gw', 'http://localhost/gw', 'postgresql:///gw', 'postgresql://localhost/gw ']],
    ['NATS_URL', [',', 'nats://', 'http://nats:4222', 'nats://user:100%@nats']],
    ['REDIS_URL', ['localhost:6379', 'http://localhost:6379', 'redis://']],
  ])('refuses a wrong %s at the start: %j', (name, values) => {
    expect(values.map((value) => refused({ [name]: value }))).toEqual(values.map(() => [name]));
  });

  it('accepts every NODE_ENV that is in use, and every form of a URL that the clients accept', () => {
    for (const env of [
      ...['production', 'development', 'test', 'benchmark', ''].map((word) => ({ NODE_ENV: word })),
      { PUBLIC_URL: 'https://gateway.example.com/' },
      { META_GRAPH_BASE_URL: 'http://127.0.0.1:8090/graph/' },
      { SMTP_FROM: 'no-reply@example.com' },
      { SMTP_FROM: '"Shop, Ltd." <no-reply@shop.example.com>' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:p@collector:4318/otlp/' },
      { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic dXNlcjpw==, x-team = a%2Cb,' },
      { OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=production,team=' },
      { DATABASE_URL: 'postgres://u:p@db:5432/gw?sslmode=require' },
      { DATABASE_URL: 'postgresql:///gw?host=/var/run/postgresql' },
      { DATABASE_URL: 'postgresql://u@%2Fvar%2Frun%2Fpostgresql/gw' },
      { NATS_URL: 'nats:4222, tls://u:p@[::1]:4222' },
      { REDIS_URL: 'rediss://u:p@redis:6379/1' },
    ])
      expect([env, refused(env)]).toEqual([env, []]);
  });

  it('needs the client of an OpenID Connect provider, whose secret may be empty', () => {
    const provider = { OIDC_ISSUER: 'https://login.example.com' };
    expect(refused(provider)).toEqual(['OIDC_CLIENT_ID']);
    expect(refused({ ...provider, OIDC_CLIENT_ID: 'gateway' })).toEqual([]);
  });
});
