import { compile } from '@fastify/proxy-addr';
import { config, env } from '@mgw/config';
import { databaseSettings, sealingSettings, serviceSettings } from '@mgw/service';

export class GatewayConfig extends config('gateway', {
  ...serviceSettings,
  ...databaseSettings,
  ...sealingSettings,
  redisUrl: env.url('REDIS_URL', { doc: 'Redis, redis://user:password@host:port, for the limits per minute', secret: true }),
  port: env.port('GATEWAY_PORT', { doc: 'the public port', default: 8080 }),
  host: env.text('GATEWAY_HOST', { doc: 'interface of the public port', default: '0.0.0.0' }),
  publicUrl: env.url('PUBLIC_URL', { doc: 'how the world reaches the public port', default: 'http://localhost:8080' }),
  trustedProxies: env.list('TRUSTED_PROXIES', { doc: 'addresses or CIDRs whose X-Forwarded-For is believed', default: '' }, trustedProxy),
  maxConnections: env.integer('GATEWAY_MAX_CONNECTIONS', {
    doc: 'connections to the public port at once; one more is closed without an answer',
    default: 2_000,
    min: 1,
    max: 1_000_000,
  }),
  maxConnectionsPerAddress: env.integer('GATEWAY_MAX_CONNECTIONS_PER_ADDRESS', {
    doc: 'connections of one address (IPv6: of one /64) at once, and requests in flight of one client behind TRUSTED_PROXIES',
    default: 500,
    min: 1,
    max: 1_000_000,
  }),
  replicas: env.integer('GATEWAY_REPLICAS', {
    doc: 'gateways side by side at most, so the maximum of an autoscaler; each enforces its share while Redis is away',
    default: 1,
    min: 1,
    max: 1_000,
  }),
  drainMs: env.integer('GATEWAY_DRAIN_MS', {
    doc: 'how long requests are still taken after SIGTERM, in milliseconds, while load balancers turn away',
    default: 1_500,
    min: 0,
    max: 5_000,
  }),
  apiKeyPepper: env.text('API_KEY_PEPPER', {
    doc: 'secret that API keys are hashed with; changing it makes every key invalid',
    secret: true,
  }),
  loginIpLimit: env.integer('LOGIN_IP_LIMIT', { doc: 'wrong logins of one address in 15 minutes', default: 20, min: 1, max: 100_000 }),
  nodeEnv: env.text('NODE_ENV', { doc: '"production" sends the session cookie over TLS only', default: 'development' }),
}) {
  get production(): boolean {
    return this.nodeEnv === 'production';
  }
}

/** As Fastify reads it. */
function trustedProxy(text: string): string {
  try {
    compile(text);
    return text;
  } catch {
    throw new Error(`has "${text}", which is no address or CIDR`);
  }
}
