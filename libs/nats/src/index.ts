import { connect, type NatsConnection } from 'nats';
import type { Logger } from '@mgw/telemetry';

export type { NatsConnection };

export interface NatsOptions {
  /** One or more `nats://host:port`. */
  servers: string[];
  /** Shown in the server's list of connections. */
  name: string;
  logger: Logger;
  user?: string;
  pass?: string;
}

/**
 * Connects and stays connected: waits for the first server, then reconnects for ever with jitter (guarantees §6: the
 * client's own default gives up after 19 s).
 */
export async function connectNats({ servers, name, logger, user, pass }: NatsOptions): Promise<NatsConnection> {
  const connection = await connect({
    servers,
    name,
    ...(user === undefined ? {} : { user }),
    ...(pass === undefined ? {} : { pass }),
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    reconnectJitter: 300,
    timeout: 5_000,
    pingInterval: 10_000,
    maxPingOut: 2,
    // A stack for each request costs more than the request.
    noAsyncTraces: true,
  });
  void logChanges(connection, logger);
  return connection;
}

async function logChanges(connection: NatsConnection, logger: Logger): Promise<void> {
  for await (const { type, data } of connection.status()) {
    if (type === 'pingTimer') continue;
    logger.info({ change: type, detail: typeof data === 'string' ? data : undefined }, 'NATS connection changed');
  }
}
