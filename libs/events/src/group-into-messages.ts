import type { OutboxRow } from './outbox';

/** Events in one message at most. */
const MOST_EVENTS = 64;
/** Characters of all events of one message, unless it is one event: consumers bound what they hold in messages. */
const MOST_CHARACTERS = 32 * 1024;
/** UTF-8 takes at most three bytes for a character; the rest is for headers. */
const BYTES_PER_CHARACTER = 4;

/** Events of one subject that travel together. */
export interface EventMessage<R = OutboxRow> {
  rows: R[];
  /** It shares an ordering key with a message of the wave before: it is published when that one is acknowledged. */
  wave: number;
}

interface Open<R> extends EventMessage<R> {
  characters: number;
  /** Earlier messages with one of its keys. */
  after: number[];
}

/**
 * Divides events into messages: a message costs JetStream far more than an event in it. Events of one ordering key stay in their
 * order: within a message, and by waves from one message to the next.
 * @param maxPayload bytes that the server takes in one message
 */
export function groupIntoMessages<R extends Omit<OutboxRow, 'event_id'>>(rows: readonly R[], maxPayload = Infinity): EventMessage<R>[] {
  const mostCharacters = Math.min(MOST_CHARACTERS, maxPayload / BYTES_PER_CHARACTER);
  const messages: Open<R>[] = [];
  /** The last message of each kind, and the last one with each key. */
  const openAt = new Map<string, number>();
  const keyAt = new Map<string, number>();
  for (const row of rows) {
    // Either all events of a message belong to a trace or none does.
    const kind = `${row.subject} ${row.traceparent === null}`;
    let at = openAt.get(kind) ?? -1;
    const before = keyAt.get(row.ordering_key);
    const open = messages[at];
    const fits = open !== undefined && open.rows.length < MOST_EVENTS && open.characters + row.body.length <= mostCharacters;
    if (!fits || at < (before ?? 0)) at = messages.push({ rows: [], characters: 0, wave: 0, after: [] }) - 1;
    const message = messages[at] as Open<R>;
    message.rows.push(row);
    message.characters += row.body.length;
    if (before !== undefined && before < at) message.after.push(before);
    openAt.set(kind, at);
    keyAt.set(row.ordering_key, at);
  }
  for (const message of messages) for (const at of message.after) message.wave = Math.max(message.wave, (messages[at]?.wave ?? 0) + 1);
  return messages;
}
