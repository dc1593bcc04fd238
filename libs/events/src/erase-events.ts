import { STREAMS } from '@mgw/contracts';
import type { Database } from '@mgw/postgres';
import type { JetStreamManager, NatsConnection } from 'nats';
import { subjectsOf } from './outbox-streams';
import { handledByAll, isNotFound } from './streams';

const NAMES = Object.keys(STREAMS);

interface PublishedEvent {
  event_id: string;
  stream: string;
  seq: string | null;
  /** Published before the stream lost its messages: a copy may have any sequence. */
  has_moved: boolean;
}

/**
 * Deletes events from their stream and from the outbox. Leaves an event that a consumer has yet to handle or that a refill has yet to
 * publish again, because a message of the stream may carry events of other people. Finds no second copy of an event: the stream deletes it
 * with its age (decision 422).
 */
export async function eraseEvents(db: Database, nc: NatsConnection, eventIds: string[]): Promise<void> {
  const manager = await nc.jetstreamManager();
  const events = await db.query<PublishedEvent>(
    `SELECT o.event_id, s.stream, o.published_seq AS seq, o.published_seq IS NULL OR o.published_at < s.numbered_from AS has_moved
       FROM ${db.schema}.outbox o
       JOIN unnest($2::text[], $3::text[]) AS known (stream, subjects) ON o.subject LIKE known.subjects
       JOIN ${db.schema}.outbox_streams s USING (stream)
      WHERE o.event_id = ANY ($1) AND o.published_at IS NOT NULL AND (s.refill_until IS NULL OR o.published_at > s.refill_until)`,
    [eventIds, NAMES, NAMES.map(subjectsOf)],
  );
  const progress = new Map<string, Progress>();
  const erased: string[] = [];
  for (const { event_id, stream, seq, has_moved } of events) {
    const { handled, last } = progress.get(stream) ?? (await progressOf(manager, stream));
    progress.set(stream, { handled, last });
    if ((has_moved ? last : Number(seq)) > handled) continue;
    if (seq !== null && (await holds(manager, stream, Number(seq), event_id)))
      await manager.streams.deleteMessage(stream, Number(seq), true);
    erased.push(event_id);
  }
  await db.query(`DELETE FROM ${db.schema}.outbox WHERE event_id = ANY ($1::text[]) AND published_at IS NOT NULL`, [erased]);
}

interface Progress {
  /** Every consumer has handled the messages up to here. */
  handled: number;
  last: number;
}

async function progressOf(manager: JetStreamManager, stream: string): Promise<Progress> {
  const { state } = await manager.streams.info(stream);
  return { handled: (await handledByAll(manager, stream, state)) ?? 0, last: state.last_seq };
}

/** A stream that was created again has other messages under old sequences. */
async function holds(manager: JetStreamManager, stream: string, seq: number, eventId: string): Promise<boolean> {
  try {
    return (await manager.streams.getMessage(stream, { seq })).string().includes(JSON.stringify(eventId));
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
