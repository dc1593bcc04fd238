import { connect } from 'nats';
import { ACCESS } from './access-table.fixture';
import { connectAs } from './database';
import type { RunningStack } from './stack';

type Servers = Pick<RunningStack, 'processes' | 'passwords'>;

/** Every row of every schema as text, after the name of its table. */
export async function rowsOf(stack: Servers): Promise<string[]> {
  const dumps = Object.entries(ACCESS.SERVICES).map(async ([app, { schema }]) => {
    const client = await connectAs(app, stack);
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT format('%s.%I', relnamespace::regnamespace, relname) AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r'`,
      [schema],
    );
    const rows: string[] = [];
    for (const { name } of tables) {
      const { rows: found } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      rows.push(...found.map(({ row }) => `${name} ${row}`));
    }
    await client.end();
    return rows;
  });
  return (await Promise.all(dumps)).flat();
}

/** Every message of every stream, after the name of the stream. */
export async function messagesOf(stack: Servers): Promise<string[]> {
  const messages: string[] = [];
  // Each of these publishes to the stream, so it may read it.
  for (const [user, stream] of [
    ['platform-webhook-ingest', 'PLATFORM'],
    ['send', 'SENDING'],
    ['send', 'PUBLIC'],
  ] as const) {
    const servers = `127.0.0.1:${stack.processes('NATS')[0]?.port}`;
    const nc = await connect({ servers, user, pass: stack.passwords.nats[user] as string, inboxPrefix: `_INBOX.${user}` });
    const manager = await nc.jetstreamManager();
    const { state } = await manager.streams.info(stream);
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage(stream, { seq }).catch(() => null);
      if (message) messages.push(`${stream} ${message.subject} ${message.header.toString()} ${message.string()}`);
    }
    await nc.close();
  }
  return messages;
}
