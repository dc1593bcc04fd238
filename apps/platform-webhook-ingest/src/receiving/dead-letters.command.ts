import { config, env, type Environment } from '@mgw/config';
import { Database } from '@mgw/postgres';
import { listDeadLetters, replayDeadLetters } from './dead-letters.store';

const LISTED = 200;
const USAGE = `usage: dead-letters list
       dead-letters replay all
       dead-letters replay <id> [<id> ...]
Updates of the platform that could not be understood. A replayed one is split again; if that fails, it is a dead letter again.`;

class DeadLettersConfig extends config('dead-letters', {
  databaseUrl: env.url('DATABASE_URL', { doc: 'PostgreSQL', secret: true }),
}) {}

/** Shows or replays dead letters (guarantees §2), run by a person on the machine. @returns what to tell them. */
export async function deadLetters(args: string[], environment: Environment): Promise<string> {
  const [verb, ...ids] = args;
  const everything = ids.length === 1 && ids[0] === 'all';
  const replay = verb === 'replay' && ids.length > 0 && (everything || ids.every((id) => /^[1-9]\d{0,17}$/.test(id)));
  if (!replay && !(verb === 'list' && ids.length === 0)) throw new Error(USAGE);
  const { databaseUrl } = DeadLettersConfig.load(environment);
  const db = await Database.open({ url: databaseUrl, schema: 'ingest', poolSize: 1, applicationName: 'dead-letters' });
  try {
    if (replay) return `${await replayDeadLetters(db, everything ? 'all' : ids)} replayed.`;
    const letters = await listDeadLetters(db, LISTED);
    if (letters.length === 0) return 'No dead letters.';
    return letters.map(({ id, at, field, reason, body }) => [id, at.toISOString(), field, reason, body].join('\t')).join('\n');
  } finally {
    await db.close();
  }
}
