import type { QueryClient } from '@tanstack/react-query';
import { meQuery } from './session';

const STREAM = '/api/client/events/stream';
/** The event with which a stream begins, and which it repeats (decision 667). */
const HEARTBEAT = 'stream.started';
/** Time until the next connection after one that the browser does not repeat by itself, in milliseconds. */
const RETRY_MS = 5_000;
/** The gateway sends a heartbeat every four seconds; without one for this time the connection is dead, which a browser does not notice. */
const SILENT_MS = 20_000;

interface Follower {
  /** The id of the event after which a new connection continues. */
  after?(): string | undefined;
  /** Adds listeners to a new connection. */
  listen(stream: EventSource): void;
  /** The stream is not open: it connects, was interrupted, or its tab is hidden. */
  onBreak?(): void;
}

/**
 * Keeps a connection to the business's events open. A hidden tab closes its connection, because a browser has six HTTP/1.1 connections for
 * all tabs of a site (decision 188). A silent connection is replaced (decision 795).
 * @returns a function that closes it
 */
export function followEvents(queries: QueryClient, { after, listen, onBreak }: Follower): () => void {
  let stream: EventSource | null = null;
  let again: ReturnType<typeof setTimeout> | undefined;
  let silent: ReturnType<typeof setTimeout> | undefined;
  const awaitHeartbeat = () => {
    clearTimeout(silent);
    silent = setTimeout(connect, SILENT_MS);
  };
  const connect = () => {
    clearTimeout(again);
    clearTimeout(silent);
    stream?.close();
    stream = null;
    onBreak?.();
    if (document.hidden) return;
    const last = after?.();
    const opened = new EventSource(last === undefined ? STREAM : `${STREAM}?after=${last}`);
    stream = opened;
    awaitHeartbeat();
    for (const name of ['open', HEARTBEAT]) opened.addEventListener(name, awaitHeartbeat);
    opened.onerror = () => {
      onBreak?.();
      // The browser connects again by itself.
      awaitHeartbeat();
      if (opened.readyState !== EventSource.CLOSED) return;
      clearTimeout(silent);
      // The server refused: the session may have ended.
      void queries.invalidateQueries({ queryKey: meQuery.queryKey });
      again = setTimeout(connect, RETRY_MS);
    };
    listen(opened);
  };
  connect();
  document.addEventListener('visibilitychange', connect);
  return () => {
    document.removeEventListener('visibilitychange', connect);
    clearTimeout(again);
    clearTimeout(silent);
    stream?.close();
  };
}
