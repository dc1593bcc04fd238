import type { EventEnvelope } from '@mgw/contracts';
import { appendToOutbox, outboxRow } from '@mgw/events';
import { isAboutValues, type Tx } from '@mgw/postgres';
import { addDeadLetters } from './dead-letters.store';
import { wholeDeadLetter, type InvalidUpdate, type StoredCallback, type Updates } from './stored-callback';
import { recordUpdates } from './update-counts';

/** Bytes of the events of one statement. */
const MAX_BYTES = 2 * 1024 * 1024;

export interface SplitCallback {
  callback: StoredCallback;
  updates: Updates;
}

/** Appends the updates of several callbacks with one statement. If PostgreSQL refuses a value, each callback has statements of its own. */
export async function appendTogether(tx: Tx, split: SplitCallback[]): Promise<void> {
  if (split.length === 0) return;
  const setAside = (invalid: InvalidUpdate[]) => addDeadLetters(tx, invalid);
  const all = { events: split.flatMap(({ updates }) => updates.events), invalid: split.flatMap(({ updates }) => updates.invalid) };
  if ((await append(tx, all, setAside)) !== null) for (const one of split) await appendAll(tx, one, setAside);
  else for (const { updates } of split) recordUpdates(updates);
}

/** Appends at most `most` events that the outbox lacks. The rest follows in later turns; the dead letters come with the last one. */
export async function appendSome(
  tx: Tx,
  { callback, updates }: SplitCallback,
  most: number,
): Promise<{ appended: number; isDone: boolean }> {
  const setAside = (invalid: InvalidUpdate[]) => addDeadLetters(tx, invalid);
  const missing = await notInOutbox(tx, updates.events);
  if (missing.length > most) {
    const some = { events: missing.slice(0, most), invalid: [], ignored: { unknown_number: 0, group: 0 } };
    const isStored = await appendAll(tx, { callback, updates: some }, setAside);
    return { appended: most, isDone: !isStored };
  }
  await appendAll(tx, { callback, updates: { ...updates, events: missing } }, setAside);
  return { appended: missing.length, isDone: true };
}

async function notInOutbox(tx: Tx, events: EventEnvelope[]): Promise<EventEnvelope[]> {
  const rows = await tx.query<{ event_id: string }>('SELECT event_id FROM ingest.outbox WHERE event_id = ANY($1::text[])', [
    events.map(({ id }) => id),
  ]);
  const known = new Set(rows.map(({ event_id }) => event_id));
  return events.filter(({ id }) => !known.has(id));
}

/** If PostgreSQL refuses a value of an event, the whole callback becomes a dead letter, so that it holds up no other. @returns false then */
export async function appendAll(
  tx: Tx,
  { callback, updates }: SplitCallback,
  setAside: (invalid: InvalidUpdate[]) => Promise<void>,
): Promise<boolean> {
  const refusal = await append(tx, updates, setAside);
  if (refusal) await setAside([wholeDeadLetter(callback, refusal)]);
  else recordUpdates(updates);
  return refusal === null;
}

/** @returns PostgreSQL's error if it refused a value, and appended nothing */
async function append(
  tx: Tx,
  { events, invalid }: Pick<Updates, 'events' | 'invalid'>,
  setAside: (invalid: InvalidUpdate[]) => Promise<void>,
): Promise<Error | null> {
  await tx.query('SAVEPOINT before_updates');
  try {
    for (const group of bySize(events)) await appendToOutbox(tx, 'ingest', group);
    await setAside(invalid);
    return null;
  } catch (error) {
    if (!isAboutValues(error)) throw error;
    await tx.query('ROLLBACK TO SAVEPOINT before_updates');
    return error as Error;
  }
}

/** Groups of consecutive events that fit into a statement. */
function* bySize(events: EventEnvelope[]): Generator<EventEnvelope[]> {
  let group: EventEnvelope[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = outboxRow(event).body.length;
    if (group.length > 0 && bytes + size > MAX_BYTES) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(event);
    bytes += size;
  }
  if (group.length > 0) yield group;
}
