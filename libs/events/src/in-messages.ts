import type { OutboxRow } from './outbox';

/** Events in one message at most. */
const MOST_EVENTS = 64;
/** Of all events of one message, as far as they can be divided: what a consumer holds at once is counted in messages. */
const MOST_CHARACTERS = 32 * 1024;

/**
 * Divides events into messages of JetStream, which cost far more than the events in them: those of one subject together, as
 * far as the events of each ordering key stay in the order in which they are told.
 */
export function inMessages<R extends Omit<OutboxRow, 'event_id'>>(rows: readonly R[]): R[][] {
  const messages: { rows: R[]; characters: number }[] = [];
  /** The last message of each kind, and the last one with each key. */
  const openAt = new Map<string, number>();
  const keyAt = new Map<string, number>();
  for (const row of rows) {
    // Either all events of a message belong to a trace or none does.
    const kind = `${row.subject} ${row.traceparent === null}`;
    let at = openAt.get(kind) ?? -1;
    const open = messages[at];
    const fits = open !== undefined && open.rows.length < MOST_EVENTS && open.characters + row.body.length <= MOST_CHARACTERS;
    if (!fits || at < (keyAt.get(row.ordering_key) ?? 0)) at = messages.push({ rows: [], characters: 0 }) - 1;
    const message = messages[at] as (typeof messages)[number];
    message.rows.push(row);
    message.characters += row.body.length;
    openAt.set(kind, at);
    keyAt.set(row.ordering_key, at);
  }
  return messages.map((message) => message.rows);
}
