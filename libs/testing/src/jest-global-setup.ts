import { startServers } from './servers';

/** One PostgreSQL, NATS and Redis for the whole test run, on private ports; suites take databases and subjects of their own. */
export default async function setUp(): Promise<void> {
  const { servers, stop } = await startServers('postgres', 'nats', 'redis');
  process.env['TEST_PG_URL'] = servers.postgres.url;
  process.env['TEST_NATS_URL'] = servers.nats.url;
  process.env['TEST_REDIS_URL'] = servers.redis.url;
  (globalThis as { stopTestServers?: () => Promise<void> }).stopTestServers = stop;
}
