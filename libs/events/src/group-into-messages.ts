import type { OutboxRow } from './outbox';

/** Events in one message at most. */
const MAX_EVENTS = 64;
/** Characters of all events of one message, unless it has a single event. Consumers bound what they hold in whole messages. */
const MAX_CHARACTERS = 32 * 1024;
/** UTF-8 has at most three bytes per character; the fourth is for headers. */
const BYTES_PER_CHARACTER = 4;

/** Events of one subject that share a message. */
export interface EventMessage<R = OutboxRow> {
  rows: R[];
  /** The message shares an ordering key with one of the previous wave, so it is published after that one's acknowledgement. */
  wave: number;
}

interface Open<R> extends EventMessage<R> {
  characters: number;
  /** Indexes of earlier messages with one of its keys. */
  after: number[];
}

/**
 * Groups events into messages, because a message costs JetStream far more than an event in it. Events of one ordering key keep their order:
 * within a message by position, and across messages by waves.
 * @param maxPayload largest message of the server, in bytes
 */
export function groupIntoMessages<R extends Omit<OutboxRow, 'event_id'>>(rows: readonly R[], maxPayload = Infinity): EventMessage<R>[] {
  const mostCharacters = Math.min(MAX_CHARACTERS, maxPayload / BYTES_PER_CHARACTER);
  const messages: Open<R>[] = [];
  /** Index of the last message of each kind, and of the last one with each key. */
  const openAt = new Map<string, number>();
  const keyAt = new Map<string, number>();
  for (const row of rows) {
    // Headers have a trace for every event of a message or for none.
    const kind = `${row.subject} ${row.traceparent === null}`;
    let at = openAt.get(kind) ?? -1;
    const before = keyAt.get(row.ordering_key);
    const open = messages[at];
    const fits = open !== undefined && open.rows.length < MAX_EVENTS && open.characters + row.body.length <= mostCharacters;
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
