import { Client } from 'pg';
import { ACCESS } from './access-table.fixture';
import type { RunningStack } from './stack';

/** Connects to the stack's PostgreSQL as a service, to its own schema. The caller ends the connection. */
export async function connectAs(app: string, stack: Pick<RunningStack, 'processes' | 'passwords'>): Promise<Client> {
  const port = stack.processes('PostgreSQL')[0]?.port as number;
  const user = ACCESS.SERVICES[app]?.schema as string;
  const client = new Client({ host: '127.0.0.1', port, database: 'postgres', user, password: stack.passwords.postgres[app] as string });
  await client.connect();
  return client;
}
