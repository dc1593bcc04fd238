import type { EventEnvelope } from '@mgw/contracts';
import { appendToOutbox, outboxRow } from '@mgw/events';
import { isAboutValues, type Tx } from '@mgw/postgres';
import { addDeadLetters } from './dead-letters.store';
import { wholeLetter, type BadUpdate, type StoredCallback, type Updates } from './stored-callback';
import { recordUpdates } from './update-counts';

/** Bytes of the events of one statement. */
const MOST_BYTES = 2 * 1024 * 1024;

/** Appends at most `most` events that the outbox lacks. The rest follows in later turns; the dead letters come with the last one. */
export async function appendSome(
  tx: Tx,
  callback: StoredCallback,
  updates: Updates,
  most: number,
): Promise<{ appended: number; isDone: boolean }> {
  const addLetters = (bad: BadUpdate[]) => addDeadLetters(tx, bad);
  if (updates.events.length > most) {
    const missing = await notInOutbox(tx, updates.events);
    if (missing.length > most) {
      const some = { events: missing.slice(0, most), bad: [], ignored: { unknown_number: 0, group: 0 } };
      const isStored = await appendAll(tx, callback, some, addLetters);
      return { appended: most, isDone: !isStored };
    }
    updates = { ...updates, events: missing };
  }
  await appendAll(tx, callback, updates, addLetters);
  return { appended: updates.events.length, isDone: true };
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
  callback: StoredCallback,
  updates: Updates,
  setAside: (bad: BadUpdate[]) => Promise<void>,
): Promise<boolean> {
  await tx.query('SAVEPOINT before_callback');
  try {
    for (const events of bySize(updates.events)) await appendToOutbox(tx, 'ingest', events);
    await setAside(updates.bad);
    recordUpdates(updates);
    return true;
  } catch (error) {
    if (!isAboutValues(error)) throw error;
    await tx.query('ROLLBACK TO SAVEPOINT before_callback');
    await setAside([wholeLetter(callback, error as Error)]);
    return false;
  }
}

/** Groups of consecutive events that fit into a statement. */
function* bySize(events: EventEnvelope[]): Generator<EventEnvelope[]> {
  let group: EventEnvelope[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = outboxRow(event).body.length;
    if (group.length > 0 && bytes + size > MOST_BYTES) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(event);
    bytes += size;
  }
  if (group.length > 0) yield group;
}
