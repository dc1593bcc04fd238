import type { Database } from '@mgw/postgres';
import type { JetStreamManager, NatsConnection } from 'nats';
import { handledByAll, isMissing, streamOf } from './streams';

/** An event of an outbox that is to be erased. */
export interface ErasableEvent {
  event_id: string;
  subject: string;
  /** Null until the relay has published it. */
  published_seq: string | null;
}

/**
 * Deletes events from their stream and from the outbox. Leaves an event that a consumer has yet to handle, because a message of the stream
 * may carry events of other people.
 */
export async function eraseEvents(db: Database, nc: NatsConnection, events: ErasableEvent[]): Promise<void> {
  const manager = await nc.jetstreamManager();
  const handled = new Map<string, number>();
  const erased: string[] = [];
  for (const { event_id, subject, published_seq } of events) {
    const stream = streamOf(subject);
    if (stream === undefined || published_seq === null) continue;
    if (!handled.has(stream)) handled.set(stream, await handledUpTo(manager, stream));
    const seq = Number(published_seq);
    if (seq > (handled.get(stream) ?? 0)) continue;
    if (await holds(manager, stream, seq, event_id)) await manager.streams.deleteMessage(stream, seq, true);
    erased.push(event_id);
  }
  await db.query(`DELETE FROM ${db.schema}.outbox WHERE event_id = ANY ($1::text[]) AND published_at IS NOT NULL`, [erased]);
}

async function handledUpTo(manager: JetStreamManager, stream: string): Promise<number> {
  const { state } = await manager.streams.info(stream);
  return (await handledByAll(manager, stream, state)) ?? 0;
}

/** A stream that was created again has other messages under old sequences. */
async function holds(manager: JetStreamManager, stream: string, seq: number, eventId: string): Promise<boolean> {
  try {
    return (await manager.streams.getMessage(stream, { seq })).string().includes(JSON.stringify(eventId));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
