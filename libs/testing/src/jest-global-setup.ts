import { startServers } from './servers';

/** One PostgreSQL for the whole test run, on a private port; each suite creates a database of its own. */
export default async function setUp(): Promise<void> {
  if (process.env['TEST_WITHOUT_POSTGRES']) return;
  const { servers, stop } = await startServers('postgres');
  process.env['TEST_PG_URL'] = servers.postgres.url;
  (globalThis as { stopTestServers?: () => Promise<void> }).stopTestServers = stop;
}
