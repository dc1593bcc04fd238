import type { StreamName } from '@mgw/contracts';
import type { Database } from '@mgw/postgres';
import type { Logger } from '@mgw/telemetry';
import type { NatsConnection } from 'nats';

export interface OutboxRelayOptions {
  db: Database;
  /** The schema with the table `outbox`. */
  schema: string;
  /** The streams that the schema's events go to. */
  streams: readonly StreamName[];
  nc: NatsConnection;
  logger: Logger;
  /** How often it reads the outbox when it is idle, in milliseconds. */
  pollMs?: number;
}
