import { matches, mismatch, type DataOf, type EventEnvelope, type EventType } from '@mgw/contracts';
import { RowSet, type Tx } from '@mgw/postgres';
import { activeTraceparent } from '@mgw/telemetry';
import { PermanentFailure } from './failures';

/** A row of `<schema>.outbox`, for stores that write it in a statement of their own. */
export interface OutboxRow {
  event_id: string;
  subject: string;
  ordering_key: string;
  body: string;
  /** The trace that created the event. */
  traceparent: string | null;
}

/** Ids and keys: they travel in headers and are in indexes, so others could be neither stored nor published. */
const NAME = /^[\x21-\x7e]{1,1024}$/;

const rowsOf = new WeakMap<EventEnvelope, OutboxRow>();

/** Creates an event in the active trace. @throws PermanentFailure when its data violates the contract, or its id or key is invalid */
export function newEvent<E extends EventType>(type: E, fields: Omit<EventEnvelope<E>, 'type'> & { data: DataOf<E> }): EventEnvelope<E> {
  if (!matches(type.data, fields.data))
    throw new PermanentFailure(`${type.type}: violates its contract: ${mismatch(type.data, fields.data)}`);
  if (type.facts && !matches(type.facts, fields.facts))
    throw new PermanentFailure(`${type.type}: facts violate their contract: ${mismatch(type.facts, fields.facts)}`);
  const { id, at, business_id, key, data, facts } = fields;
  for (const name of [id, key])
    if (!NAME.test(name)) throw new PermanentFailure(`${type.type}: invalid id or key: ${JSON.stringify(name.slice(0, 100))}`);
  const event: EventEnvelope<E> = { id, type: type.type, at, business_id, key, data, ...(facts !== undefined && { facts }) };
  rowsOf.set(event, {
    event_id: id,
    subject: type.subject,
    ordering_key: key,
    body: JSON.stringify(event),
    traceparent: activeTraceparent() ?? null,
  });
  return event;
}

/** @param event made by newEvent */
export function outboxRow(event: EventEnvelope): OutboxRow {
  const row = rowsOf.get(event);
  if (row === undefined) throw new Error(`${event.type} ${event.id} was not made by newEvent`);
  return row;
}

/** Events, made by newEvent, as rows of a statement that writes the outbox. @param first number of the first parameter */
export function outboxRows(first = 1): RowSet<EventEnvelope> {
  return new RowSet<EventEnvelope>(
    {
      event_id: ['text', (event) => outboxRow(event).event_id],
      subject: ['text', (event) => outboxRow(event).subject],
      ordering_key: ['text', (event) => outboxRow(event).ordering_key],
      body: ['text', (event) => outboxRow(event).body],
      traceparent: ['text', (event) => outboxRow(event).traceparent],
    },
    first,
  );
}
const EVENTS = outboxRows();

/** Older unpublished events with the same keys, by the events that the relay may publish from memory; see `OutboxRelay.publishCommitted`. */
const olderIds = new WeakMap<EventEnvelope, readonly string[]>();
/** With more of them the relay reads the outbox. */
const MAX_OLDER = 1_000;

/**
 * SQL for the statement that writes events: the ids of unpublished events that have one of their keys, for `allowDirectPublish`. Null if
 * there are too many.
 * @param keys the statement's parameter with the ordering keys
 */
export function unpublishedBefore(schema: string, keys: string): string {
  return `(SELECT CASE WHEN count(*) <= ${MAX_OLDER} THEN coalesce(array_agg(event_id), '{}') END FROM (
    SELECT o.event_id FROM ${schema}.outbox o
    WHERE ${unpublishedKey('o.')} COLLATE "C" = ANY (${keys}::text[]) LIMIT ${MAX_OLDER + 1}) older)`;
}

/** SQL: the key of an unpublished event. Only the index on this expression can serve a search by it, whatever the statistics. */
export function unpublishedKey(prefix = ''): string {
  return `(CASE WHEN ${prefix}published_at IS NULL THEN ${prefix}ordering_key END)`;
}

/**
 * Lets the relay publish these events from memory, if it has the older ones there too.
 * @param older the result of `unpublishedBefore` in the statement that wrote them
 */
export function allowDirectPublish(events: readonly EventEnvelope[], older: readonly string[] | null): void {
  if (older !== null) for (const event of events) olderIds.set(event, older);
}

/** @returns undefined if only a reading of the outbox may publish the event */
export function olderUnpublished(event: EventEnvelope): readonly string[] | undefined {
  return olderIds.get(event);
}

/** Writes events in the transaction of their fact. An event that exists stays as it is. */
export async function appendToOutbox(tx: Tx, schema: string, events: readonly EventEnvelope[]): Promise<void> {
  if (events.length === 0) return;
  await tx.query(
    `INSERT INTO ${schema}.outbox (event_id, subject, ordering_key, body, traceparent)
     SELECT * FROM ${EVENTS.from('n')}
     ON CONFLICT (event_id) DO NOTHING`,
    EVENTS.values(events),
  );
}
