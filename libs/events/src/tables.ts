import type { AgedRows } from '@mgw/postgres';
import { unpublishedKey } from './outbox';

/** Migration statements for what a schema needs to tell and to hear events; see the classes that use each table. */
export function eventTablesUp(schema: string): string[] {
  return [
    `CREATE TABLE ${schema}.outbox (
      event_id text PRIMARY KEY,
      seq bigserial NOT NULL,
      subject text NOT NULL,
      ordering_key text NOT NULL,
      body text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      published_at timestamptz
    )`,
    `CREATE INDEX outbox_unpublished ON ${schema}.outbox (seq) WHERE published_at IS NULL`,
    `CREATE INDEX outbox_published_at ON ${schema}.outbox (published_at) WHERE published_at IS NOT NULL`,
    `CREATE TABLE ${schema}.outbox_streams (
      stream text PRIMARY KEY,
      created text NOT NULL,
      last_seq bigint NOT NULL
    )`,
    `CREATE TABLE ${schema}.inbox (
      consumer text NOT NULL,
      event_id text NOT NULL,
      handled_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (consumer, event_id)
    )`,
    `CREATE INDEX inbox_handled_at ON ${schema}.inbox (handled_at)`,
    `CREATE TABLE ${schema}.dead_letters (
      id bigserial PRIMARY KEY,
      consumer text NOT NULL,
      subject text NOT NULL,
      body text NOT NULL,
      reason text NOT NULL,
      deliveries integer NOT NULL,
      at timestamptz NOT NULL DEFAULT now()
    )`,
  ];
}

/** Migration statements: the trace in which an event was told travels on with it. */
export function eventTraceUp(schema: string): string[] {
  return [`ALTER TABLE ${schema}.outbox ADD COLUMN traceparent text`];
}

export function eventTraceDown(schema: string): string[] {
  return [`ALTER TABLE ${schema}.outbox DROP COLUMN traceparent`];
}

/** Migration statements: who pulls the events of an ordered consumer. */
export function consumerLeasesUp(schema: string): string[] {
  return [
    `CREATE TABLE ${schema}.consumer_leases (
      consumer text PRIMARY KEY,
      holder text NOT NULL,
      held_until timestamptz NOT NULL
    )`,
  ];
}

export function consumerLeasesDown(schema: string): string[] {
  return [`DROP TABLE ${schema}.consumer_leases`];
}

/** Migration statements: which workers live (see WorkerHeartbeat), and how often the handling of an event has begun without an end (see Attempts). */
export function workersUp(schema: string): string[] {
  return [
    `CREATE TABLE ${schema}.workers (
      worker_id text PRIMARY KEY,
      alive_until timestamptz NOT NULL
    ) WITH (fillfactor = 50)`,
    `CREATE TABLE ${schema}.event_attempts (
      consumer text NOT NULL,
      event_id text NOT NULL,
      begun integer NOT NULL DEFAULT 1,
      begun_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (consumer, event_id)
    )`,
  ];
}

export function workersDown(schema: string): string[] {
  return [`DROP TABLE ${schema}.event_attempts`, `DROP TABLE ${schema}.workers`];
}

/**
 * Migration statements: somebody may ask for a dead letter to be handled again (see DeadLetters), and the inbox remembers what it is about
 * for as long as it is there. The id of its event is null for what is none; what no event may be named is not indexed.
 */
export function deadLetterReplaysUp(schema: string): string[] {
  return [
    `ALTER TABLE ${schema}.dead_letters ADD COLUMN replay_asked_at timestamptz,
      ADD COLUMN event_id text GENERATED ALWAYS AS (left(substring(body from '^\\{"id":"([!#-\\[\\]-~]+)"'), 1024)) STORED`,
    `CREATE INDEX dead_letters_asked ON ${schema}.dead_letters (id) WHERE replay_asked_at IS NOT NULL`,
    `CREATE INDEX dead_letters_event ON ${schema}.dead_letters (event_id, consumer)`,
  ];
}

export function deadLetterReplaysDown(schema: string): string[] {
  return [
    `DROP INDEX ${schema}.dead_letters_event`,
    `DROP INDEX ${schema}.dead_letters_asked`,
    `ALTER TABLE ${schema}.dead_letters DROP COLUMN event_id, DROP COLUMN replay_asked_at`,
  ];
}

/**
 * Migration statements: relays keep the order of each key although they publish from memory (`origin`, `outbox_waiting`), and a lost stream
 * gets back what it lost (see OutboxStreams, OutboxHandled and OutboxRefill).
 */
export function outboxRecoveryUp(schema: string): string[] {
  return [
    `ALTER TABLE ${schema}.outbox ADD COLUMN origin integer, ADD COLUMN published_seq bigint`,
    `CREATE INDEX outbox_waiting ON ${schema}.outbox (${unpublishedKey()} COLLATE "C") WHERE ${unpublishedKey()} IS NOT NULL`,
    `CREATE INDEX outbox_published ON ${schema}.outbox (published_at, seq) WHERE published_at IS NOT NULL`,
    `DROP INDEX ${schema}.outbox_published_at`,
    `ALTER TABLE ${schema}.outbox_streams
      ADD COLUMN epoch integer NOT NULL DEFAULT 0,
      ADD COLUMN numbered_from timestamptz NOT NULL DEFAULT '-infinity',
      ADD COLUMN handled_until timestamptz NOT NULL DEFAULT '-infinity',
      ADD COLUMN refill_above bigint NOT NULL DEFAULT 0,
      ADD COLUMN refill_at timestamptz,
      ADD COLUMN refill_seq bigint NOT NULL DEFAULT 0,
      ADD COLUMN refill_until timestamptz`,
  ];
}

export function outboxRecoveryDown(schema: string): string[] {
  return [
    `ALTER TABLE ${schema}.outbox_streams DROP COLUMN epoch, DROP COLUMN numbered_from, DROP COLUMN handled_until, DROP COLUMN refill_above,
      DROP COLUMN refill_at, DROP COLUMN refill_seq, DROP COLUMN refill_until`,
    `CREATE INDEX outbox_published_at ON ${schema}.outbox (published_at) WHERE published_at IS NOT NULL`,
    `DROP INDEX ${schema}.outbox_published`,
    `DROP INDEX ${schema}.outbox_waiting`,
    `ALTER TABLE ${schema}.outbox DROP COLUMN published_seq, DROP COLUMN origin`,
  ];
}

export function eventTablesDown(schema: string): string[] {
  return ['dead_letters', 'inbox', 'outbox_streams', 'outbox'].map((table) => `DROP TABLE ${schema}.${table}`);
}

/**
 * What of these tables may go: never an event that is not published. The inbox remembers longer than an outbox can tell again, and
 * than a dead letter can be replayed.
 * @param keep for how long; the hours count from publication
 */
export function agedEventRows(schema: string, keep: { outboxHours: number; deadLettersDays: number }): AgedRows[] {
  return [
    { table: `${schema}.outbox`, where: `published_at < now() - interval '${keep.outboxHours} hours'` },
    {
      table: `${schema}.inbox`,
      where: `handled_at < now() - interval '${keep.outboxHours + 24} hours' AND NOT EXISTS (
        SELECT FROM ${schema}.dead_letters d WHERE d.event_id = aged.event_id AND d.consumer = aged.consumer)`,
    },
    { table: `${schema}.dead_letters`, where: `at < now() - interval '${keep.deadLettersDays} days'` },
  ];
}
