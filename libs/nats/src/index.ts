import { setTimeout as pause } from 'node:timers/promises';
import { connect, createInbox, Events, type ConnectionOptions, type NatsConnection } from 'nats';
import type { Logger } from '@mgw/telemetry';

export type { NatsConnection };

interface NatsOptions {
  /** One or more `nats://user:password@host:port`; all use the first one's user. */
  servers: string[];
  /** Shown in the server's list of connections. */
  name: string;
  logger: Logger;
  /** Size of each stream that this connection creates, in bytes. */
  streamMaxBytes?: number;
}

/** Pause between two attempts to connect, in milliseconds. */
const RETRY_MS = 200;
const JITTER_MS = 300;

/**
 * Waits for the first connection, then reconnects for ever with jitter (guarantees §6). By default the client gives up after 19 s.
 */
export async function connectNats({ servers, name, logger, streamMaxBytes }: NatsOptions): Promise<NatsConnection> {
  const { hosts, user, pass } = readServers(servers);
  const options: ConnectionOptions = {
    servers: hosts,
    name,
    ...(user && { user, pass, inboxPrefix: inboxPrefix(user) }),
    maxReconnectAttempts: -1,
    // By default two refusals in a row close the connection for good, for example while passwords change.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: RETRY_MS,
    reconnectJitter: JITTER_MS,
    timeout: 5_000,
    pingInterval: 10_000,
    maxPingOut: 2,
    // A stack for each request costs more than the request.
    noAsyncTraces: true,
  };
  const connection = await firstConnection(options, logger);
  inboxPrefixes.set(connection, inboxPrefix(user));
  if (streamMaxBytes !== undefined) streamSizes.set(connection, streamMaxBytes);
  void followChanges(connection, logger);
  return connection;
}

/** Logs while it waits, unlike the client's own wait for a first connection. */
async function firstConnection(options: ConnectionOptions, logger: Logger): Promise<NatsConnection> {
  for (let waits = false; ; waits = true) {
    try {
      return await connect(options);
    } catch (error) {
      if (!waits) logger.warn({ err: error, servers: options.servers }, 'NATS cannot be reached; will retry');
      await pause(RETRY_MS + Math.random() * JITTER_MS);
    }
  }
}

const inboxPrefixes = new WeakMap<NatsConnection, string>();

const streamSizes = new WeakMap<NatsConnection, number>();

/** @returns the size of new streams in bytes, if it is set */
export function streamMaxBytes(connection: NatsConnection): number | undefined {
  return streamSizes.get(connection);
}

/** Responses come to inboxes that only this user may read. */
function inboxPrefix(user: string): string {
  return user ? `_INBOX.${user}` : '_INBOX';
}

/** @returns a subject for responses. @param connection made by connectNats */
export function newInbox(connection: NatsConnection): string {
  return createInbox(inboxPrefixes.get(connection));
}

/** @returns the address. @throws Error if it is invalid, without its password */
export function natsServer(text: string): string {
  if (!isServer(text)) throw new Error('has an entry that is not nats://host:port');
  return text;
}

function isServer(text: string): boolean {
  try {
    const { hosts } = readServers([text]);
    return hosts[0] !== '' && /^(nats|tls):/.test(withScheme(text));
  } catch {
    return false;
  }
}

function withScheme(server: string): string {
  return server.includes('://') ? server : `nats://${server}`;
}

/** Extracts the user, because the client ignores it in addresses. */
function readServers(servers: string[]): { hosts: string[]; user: string; pass: string } {
  const urls = servers.map((server) => new URL(withScheme(server)));
  const [{ username = '', password = '' } = {}] = urls;
  return { hosts: urls.map(({ host }) => host), user: decodeURIComponent(username), pass: decodeURIComponent(password) };
}

/** Connections without a server, which reconnect. */
const lost = new WeakSet<NatsConnection>();

/** Whether the connection has a server now. @param connection made by connectNats */
export function isConnected(connection: NatsConnection): boolean {
  return !connection.isClosed() && !connection.isDraining() && !lost.has(connection);
}

async function followChanges(connection: NatsConnection, logger: Logger): Promise<void> {
  for await (const change of connection.status()) {
    const { type, data } = change;
    if (type === 'pingTimer') continue;
    if (type === Events.Disconnect) lost.add(connection);
    if (type === Events.Reconnect) lost.delete(connection);
    if (type === 'error') {
      logger.error({ detail: data, refused: change.permissionContext }, 'NATS refused an action');
      continue;
    }
    logger.info({ change: type, detail: typeof data === 'string' ? data : undefined }, 'NATS connection changed');
  }
}
