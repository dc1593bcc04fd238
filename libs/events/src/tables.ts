import type { ExpiredRows } from '@mgw/postgres';
import { unpublishedKey } from './outbox';

/** SQL of the tables that a schema needs to publish and to consume events, for its first migration. */
export function eventTables(schema: string): string {
  return `
-- Events that commit together with their facts, until the relay has published them and for RETENTION_OUTBOX_HOURS after.
CREATE TABLE ${schema}.outbox (
  event_id text PRIMARY KEY,
  seq bigserial NOT NULL,
  subject text NOT NULL,
  ordering_key text NOT NULL,
  body text NOT NULL,
  -- The trace in which the event was created.
  traceparent text,
  -- Unused; an earlier version may still write it.
  origin integer,
  created_at timestamptz NOT NULL DEFAULT now(),
  published_at timestamptz,
  -- The sequence of the acknowledgement, in the stream of its subject.
  published_seq bigint
);
CREATE INDEX outbox_unpublished ON ${schema}.outbox (seq) WHERE published_at IS NULL;
CREATE INDEX outbox_published ON ${schema}.outbox (published_at, seq) WHERE published_at IS NOT NULL;
-- Relays keep the order of each key although they publish from memory.
CREATE INDEX outbox_waiting ON ${schema}.outbox (${unpublishedKey()} COLLATE "C") WHERE ${unpublishedKey()} IS NOT NULL;

-- The streams that the outbox publishes to, and the cursor that republishes what a lost stream held (OutboxStreams, OutboxRefill).
CREATE TABLE ${schema}.outbox_streams (
  stream text PRIMARY KEY,
  -- The stream's creation time; a different one means that the stream was replaced.
  created text NOT NULL,
  last_seq bigint NOT NULL,
  -- Rises with each loss. Acknowledgements of an earlier epoch mark nothing.
  epoch integer NOT NULL DEFAULT 0,
  -- Sequences of events that were published before belong to a stream that was replaced, so all of these events are missing.
  numbered_from timestamptz NOT NULL DEFAULT '-infinity',
  -- Every consumer has handled the events that were published until then.
  handled_until timestamptz NOT NULL DEFAULT '-infinity',
  -- Sequences above it were lost.
  refill_above bigint NOT NULL DEFAULT 0,
  -- The refill's cursor: published_at and seq of the last event that it passed.
  refill_at timestamptz,
  refill_seq bigint NOT NULL DEFAULT 0,
  -- The refill ends with the events that were published until then; null if no refill runs.
  refill_until timestamptz
);

-- Events that a consumer handled, so that a redelivered event has no second effect.
CREATE TABLE ${schema}.inbox (
  consumer text NOT NULL,
  event_id text NOT NULL,
  handled_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer, event_id)
);
CREATE INDEX inbox_handled_at ON ${schema}.inbox (handled_at);

-- Events that could not be handled, until a person replays or discards them (DeadLetters).
CREATE TABLE ${schema}.dead_letters (
  id bigserial PRIMARY KEY,
  consumer text NOT NULL,
  subject text NOT NULL,
  body text NOT NULL,
  -- The event's id, for the index; null if the body is not an event or its id is invalid.
  event_id text GENERATED ALWAYS AS (left(substring(body from '^\\{"id":"([!#-\\[\\]-~]+)"'), 1024)) STORED,
  reason text NOT NULL,
  attempts integer NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  replay_requested_at timestamptz
);
CREATE INDEX dead_letters_replays ON ${schema}.dead_letters (id) WHERE replay_requested_at IS NOT NULL;
CREATE INDEX dead_letters_event ON ${schema}.dead_letters (event_id, consumer);

-- The replica that pulls the events of a consumer (Lease).
CREATE TABLE ${schema}.consumer_leases (
  consumer text PRIMARY KEY,
  worker_id text NOT NULL
);

-- Processes that work now (WorkerHeartbeat).
CREATE TABLE ${schema}.workers (
  worker_id text PRIMARY KEY,
  alive_until timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Attempts to handle an event whose process died (BegunMarks).
CREATE TABLE ${schema}.event_attempts (
  consumer text NOT NULL,
  event_id text NOT NULL,
  unfinished integer NOT NULL DEFAULT 1,
  last_started_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer, event_id)
);
`;
}

/**
 * Expired rows of these tables, never an event that is not published. The inbox remembers an event for longer than an outbox may publish
 * it again, and for as long as its dead letter may be replayed.
 * @param keep how long to keep them; the hours count from publication
 */
export function expiredEventRows(schema: string, keep: { outboxHours: number; deadLettersDays: number }): ExpiredRows[] {
  return [
    { table: `${schema}.outbox`, where: `published_at < now() - interval '${keep.outboxHours} hours'` },
    {
      table: `${schema}.inbox`,
      where: `handled_at < now() - interval '${keep.outboxHours + 24} hours' AND NOT EXISTS (
        SELECT FROM ${schema}.dead_letters d WHERE d.event_id = expired.event_id AND d.consumer = expired.consumer)`,
    },
    { table: `${schema}.dead_letters`, where: `at < now() - interval '${keep.deadLettersDays} days'` },
  ];
}
