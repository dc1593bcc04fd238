import { compile } from '@fastify/proxy-addr';
import { config, env } from '@mgw/config';
import { mediaSettings } from '@mgw/media';
import { databaseSettings, sealingSettings, serviceSettings } from '@mgw/service';

const gatewaySettings = {
  ...serviceSettings,
  ...databaseSettings,
  ...sealingSettings,
  ...mediaSettings,
  redisUrl: env.url('REDIS_URL', {
    doc: 'Redis, redis://user:password@host:port, for the per-minute limits and the request log',
    schemes: ['redis', 'rediss'],
    secret: true,
  }),
  port: env.port('GATEWAY_PORT', { doc: 'the public port', default: 8080 }),
  host: env.text('GATEWAY_HOST', { doc: 'interface of the public port', default: '0.0.0.0' }),
  publicUrl: env.url('PUBLIC_URL', { doc: 'public address of the gateway', origin: true, default: 'http://localhost:8080' }),
  trustedProxies: env.list(
    'TRUSTED_PROXIES',
    { doc: 'addresses or CIDRs whose X-Forwarded-For header the gateway trusts', default: '' },
    trustedProxy,
  ),
  maxConnections: env.integer('GATEWAY_MAX_CONNECTIONS', {
    doc: 'concurrent connections to the public port; idle ones are closed for new ones near the limit, further ones without a response',
    default: 1_000,
    min: 1,
    max: 1_000_000,
  }),
  maxConnectionsPerAddress: env.integer('GATEWAY_MAX_CONNECTIONS_PER_ADDRESS', {
    doc: 'concurrent connections of one address (IPv6: one /64), and its requests in flight, at most half of GATEWAY_MAX_CONNECTIONS',
    default: 500,
    min: 1,
    max: 1_000_000,
  }),
  replicas: env.integer('GATEWAY_REPLICAS', {
    doc: 'largest number of gateways, such as the maximum of the autoscaler; without Redis each enforces its share of the limits',
    default: 1,
    min: 1,
    max: 1_000,
  }),
  drainMs: env.integer('GATEWAY_DRAIN_MS', {
    doc: 'milliseconds to accept requests after SIGTERM, until load balancers have removed the gateway',
    default: 1_500,
    min: 0,
    max: 5_000,
  }),
  apiKeyPepper: env.text('API_KEY_PEPPER', {
    doc: 'secret for the hashes of API keys; a change makes every key invalid',
    secret: true,
  }),
  loginIpLimit: env.integer('LOGIN_IP_LIMIT', { doc: 'most wrong logins of one address in 15 minutes', default: 20, min: 1, max: 100_000 }),
  operatorTotp: env.choice('OPERATOR_TOTP', {
    doc: 'whether operators have to set up two-step login before anything else: optional or required',
    of: ['optional', 'required'],
    default: 'optional',
  }),
  oidcIssuer: env.url('OIDC_ISSUER', { doc: 'OpenID Connect provider with which people may log in; empty offers none', default: '' }),
  oidcClientId: env.text('OIDC_CLIENT_ID', { doc: 'the client that the provider knows', default: '' }),
  oidcClientSecret: env.text('OIDC_CLIENT_SECRET', { doc: 'secret of the client at the provider', default: '', secret: true }),
  smtpUrl: env.parsed(
    'SMTP_URL',
    {
      doc: 'mail server for links, smtp://user:password@host:587 with STARTTLS (without it: ?requireTLS=false) or smtps://…:465; empty sends no mail',
      default: '',
      secret: true,
    },
    mailServer,
  ),
  smtpFrom: env.parsed('SMTP_FROM', { doc: 'sender of mails', default: 'Messaging gateway <no-reply@localhost>' }, mailSender),
  auditDays: env.integer('RETENTION_AUDIT_DAYS', {
    doc: 'days to keep the audit log; failed logins are kept for 90 at most',
    default: 400,
    min: 1,
    max: 36_500,
  }),
  nodeEnv: env.nodeEnv('"production" sends the session cookie over TLS only'),
};

export class GatewayConfig extends config('gateway', gatewaySettings, ({ oidcIssuer, oidcClientId }) =>
  oidcIssuer && oidcClientId === '' ? ['OIDC_CLIENT_ID is missing: OIDC_ISSUER needs it'] : [],
) {
  get production(): boolean {
    return this.nodeEnv === 'production';
  }
}

/** @throws Error unless it is the URL of a mail server */
function mailServer(text: string): string {
  const { protocol, hostname } = URL.canParse(text) ? new URL(text) : { protocol: '', hostname: '' };
  if (!['smtp:', 'smtps:'].includes(protocol) || hostname === '') throw new Error('must be smtp://… or smtps://…');
  return text;
}

/** @throws Error unless it is an address, or a name and an address */
function mailSender(text: string): string {
  if (!/^([^<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(text)) throw new Error('must be an address, or Name <address>');
  return text;
}

/** @throws Error unless Fastify accepts the address or CIDR */
function trustedProxy(text: string): string {
  try {
    compile(text);
    return text;
  } catch {
    throw new Error(`has "${text}", which is neither an address nor a CIDR`);
  }
}
