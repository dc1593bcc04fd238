import type { Tx } from '@mgw/postgres';
import type { OutboxRelayOptions } from './relay-options';

/** Consumer name of dead letters that the relay wrote. */
const CONSUMER = 'outbox';
/** SQL: whether a dead letter waits for its return to the outbox. */
export const REPLAY_REQUESTED = `replay_requested_at IS NOT NULL AND consumer = '${CONSUMER}'`;
const MAX_REPLAYED = 10;

/**
 * Moves events that are too large for NATS to the dead letters, so that they do not block the outbox. A replay returns one to the outbox if
 * NATS accepts its size by then.
 */
export class OutboxDeadLetters {
  constructor(private readonly options: OutboxRelayOptions) {}

  /** @param maxBody largest body that NATS accepts, in bytes */
  async setAside(tx: Tx, ids: string[], maxBody: number): Promise<void> {
    const { schema, logger } = this.options;
    const set = await tx.query<{ event_id: string; subject: string }>(
      `WITH large AS (DELETE FROM ${schema}.outbox WHERE event_id = ANY ($1::text[]) RETURNING event_id, subject, body), set_aside AS (
         INSERT INTO ${schema}.dead_letters (consumer, subject, body, reason, attempts)
         SELECT $2, subject, body, ${tooLarge('body', '$3')}, 1 FROM large
       ) SELECT event_id, subject FROM large`,
      [ids, CONSUMER, maxBody],
    );
    for (const { event_id, subject } of set)
      logger.error({ event_id, subject, max_bytes: maxBody }, 'an event is too large for NATS; it was moved to the dead letters');
  }

  /** Returns dead letters that are marked for replay to the outbox. @returns whether there was one */
  async replay(tx: Tx, maxBody: number): Promise<boolean> {
    const { schema } = this.options;
    const replayed = await tx.query(
      `WITH requested AS (
         SELECT id, octet_length(body) > $1::bigint AS large FROM ${schema}.dead_letters
         WHERE ${REPLAY_REQUESTED} ORDER BY id LIMIT ${MAX_REPLAYED}
       ), kept AS (
         UPDATE ${schema}.dead_letters l SET attempts = attempts + 1, replay_requested_at = NULL, reason = ${tooLarge('body', '$1')}
         FROM requested WHERE l.id = requested.id AND requested.large
       ), taken AS (
         DELETE FROM ${schema}.dead_letters l USING requested WHERE l.id = requested.id AND NOT requested.large RETURNING l.subject, l.body::jsonb ->> 'id' AS event_id,
           l.body::jsonb ->> 'key' AS ordering_key, l.body
       ), back AS (
         INSERT INTO ${schema}.outbox (event_id, subject, ordering_key, body) SELECT event_id, subject, ordering_key, body FROM taken
         ON CONFLICT (event_id) DO UPDATE SET published_at = NULL
       ) SELECT FROM requested`,
      [maxBody],
    );
    return replayed.length > 0;
  }
}

function tooLarge(body: string, max: string): string {
  return `format('%s bytes exceed the %s that NATS accepts: raise its max_payload, then replay this event', octet_length(${body}), ${max}::bigint)`;
}
