import { setTimeout as pause } from 'node:timers/promises';
import { config, type Environment } from '@mgw/config';
import { DeadLetters, type DeadLetter } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { databaseSettings } from './settings';

const LISTED = 200;
const HEADING = ['id', 'set aside', 'consumer', 'type', 'event', 'business', 'attempts', 'reason'];
/** Longest wait for a replay, and pause between two checks, in milliseconds. */
const WAIT_MS = 30_000;
const POLL_MS = 200;
const USAGE = `usage: dead-letters list
       dead-letters show <id>
       dead-letters replay all
       dead-letters replay <id> [<id> ...]
       dead-letters discard <id> [<id> ...]
Dead letters are events that this service could not handle. The running service replays those that you request. If a replay fails, the
dead letter stays, with the new reason, and the exit code is 1. It is also 1 for an id that does not exist.`;
const IDS = '[1-9]\\d{0,17}( [1-9]\\d{0,17})*';
const COMMAND = new RegExp(`^(list|show [1-9]\\d{0,17}|replay (all|${IDS})|discard ${IDS})$`);

class DeadLettersConfig extends config('dead-letters', { databaseUrl: databaseSettings.databaseUrl }) {}

/** The parts of a service that its dead letters need. */
interface DeadLettersOptions {
  schema: string;
  /** SQL for the business of a dead letter that does not name one. */
  deadLetterBusiness?: string | null;
}

/**
 * Shows, replays or discards dead letters for an operator (guarantees §2, §4).
 * @returns the output
 * @throws Error with the output if an id does not exist or a replay failed
 */
export async function deadLetters(
  { schema, deadLetterBusiness }: DeadLettersOptions,
  args: string[],
  environment: Environment,
): Promise<string> {
  const command = args.join(' ');
  if (!COMMAND.test(command)) throw new Error(USAGE);
  const [verb, ...ids] = command.split(' ');
  const { databaseUrl } = DeadLettersConfig.load(environment);
  const db = await Database.open({ url: databaseUrl, schema, poolSize: 1, applicationName: 'dead-letters' });
  try {
    const store = new DeadLetters(db, schema, deadLetterBusiness ?? undefined);
    if (verb === 'list') return await list(store);
    if (verb === 'show') return await show(store, ids[0] as string);
    if (verb === 'discard') return await discard(store, ids);
    return await replay(store, ids[0] === 'all' ? 'all' : ids);
  } finally {
    await db.close();
  }
}

async function list(store: DeadLetters): Promise<string> {
  const { deadLetters: listed, total } = await store.list(LISTED);
  if (total === 0) return 'No dead letters.';
  const rows = [HEADING, ...listed.map(row)].map((cells) => cells.join('\t'));
  return [...rows, ...(total > listed.length ? [`${total - listed.length} more.`] : [])].join('\n');
}

function row({ id, at, consumer, subject, event_id, business, attempts, reason, replay_requested }: DeadLetter): string[] {
  const why = `${replay_requested ? '(to be replayed) ' : ''}${oneLine(reason)}`;
  return [id, at.toISOString(), consumer, subject, event_id ?? '-', business ?? '-', String(attempts), why];
}

async function show(store: DeadLetters, id: string): Promise<string> {
  const body = await store.body(id);
  if (body === undefined) throw new Error(notFound(id));
  return body;
}

async function discard(store: DeadLetters, ids: string[]): Promise<string> {
  const removed = await store.remove(ids);
  return outputOf([`${removed.length} discarded.`], missing(ids, removed));
}

/** Requests a replay and waits for its result. */
async function replay(store: DeadLetters, which: string[] | 'all'): Promise<string> {
  const requested = await store.requestReplay(which);
  const until = performance.now() + WAIT_MS;
  let left = await store.remaining(requested);
  while (left.some((one) => one.replay_requested) && performance.now() < until) {
    await pause(POLL_MS);
    left = await store.remaining(requested);
  }
  const waiting = left.filter((one) => one.replay_requested).length;
  const failed = left.filter((one) => !one.replay_requested).map(({ id, reason }) => `${id} failed again: ${oneLine(reason)}`);
  const done = [
    `${requested.length - left.length} replayed.`,
    ...(waiting > 0 ? [`${waiting} still wait: the service replays them when it runs.`] : []),
  ];
  return outputOf(done, [...failed, ...(which === 'all' ? [] : missing(which, requested))]);
}

function missing(ids: string[], found: string[]): string[] {
  return [...new Set(ids)].filter((id) => !found.includes(id)).map(notFound);
}

function notFound(id: string): string {
  return `${id} does not exist.`;
}

function outputOf(done: string[], faults: string[]): string {
  const output = [...done, ...faults].join('\n');
  if (faults.length > 0) throw new Error(output);
  return output;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
