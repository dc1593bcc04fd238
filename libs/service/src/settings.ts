import { env } from '@mgw/config';

/** What every service reads: spread into its configuration class. */
export const serviceSettings = {
  natsUrl: env.text('NATS_URL', { doc: 'NATS servers, nats://user:password@host:port, comma-separated', secret: true }),
  probePort: env.port('PROBE_PORT', { doc: 'private port of /livez, /readyz and /metrics; 0 takes any free one', default: 0 }),
  rpcConcurrency: env.integer('RPC_CONCURRENCY', { doc: 'requests handled at once; more are refused', default: 512, min: 1, max: 100_000 }),
};

/** What every service with a schema reads. */
export const databaseSettings = {
  databaseUrl: env.url('DATABASE_URL', { doc: 'PostgreSQL, postgresql://user:password@host:port/database', secret: true }),
  databasePool: env.integer('DATABASE_POOL', { doc: 'connections to PostgreSQL at most', default: 8, min: 1, max: 200 }),
};
