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
  /**
   * Set if its events follow events of another service, such as statuses of messages. Resolves once that service has published everything
   * that it had committed before. Called after a loss of a stream, because both publish their events again then (decision 763).
   */
  predecessorsPublished?: (() => Promise<void>) | undefined;
  /** How often it reads the outbox when it is idle, in milliseconds. */
  pollMs?: number;
}
