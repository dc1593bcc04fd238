import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { meQuery } from './session';

/** An event as webhooks get it. */
export interface TailedEvent {
  /** The same event has the same key after a new connection. */
  key: string;
  event: string;
  timestamp: string;
  data: Record<string, unknown>;
}

/** The newest events that a page holds. */
const HELD = 500;
/** Time until the next connection after one that the browser does not repeat by itself, in milliseconds. */
const RETRY_MS = 5_000;

/**
 * Follows the business's events, the newest first. A new connection continues after the last event received, so that none is lost or
 * shown twice. A hidden tab closes its connection (decision 188).
 */
export function useEventTail(names: readonly string[]): { events: TailedEvent[]; isConnected: boolean; received: number } {
  const queries = useQueryClient();
  const [tail, setTail] = useState<{ events: TailedEvent[]; received: number }>({ events: [], received: 0 });
  const [isConnected, setIsConnected] = useState(false);
  const last = useRef<string>(undefined);
  useEffect(() => {
    let source: EventSource | null = null;
    let again: ReturnType<typeof setTimeout> | undefined;
    const onEvent = ({ data, lastEventId }: MessageEvent<string>) => {
      last.current = lastEventId;
      const event = JSON.parse(data) as Omit<TailedEvent, 'key'>;
      // A server that lost its events numbers them from one again.
      const key = `${lastEventId} ${event.timestamp}`;
      setTail(({ events, received }) =>
        events.some((known) => known.key === key)
          ? { events, received }
          : { events: [{ ...event, key }, ...events].slice(0, HELD), received: received + 1 },
      );
    };
    const follow = () => {
      clearTimeout(again);
      source?.close();
      source = null;
      setIsConnected(false);
      if (document.hidden) return;
      const opened = new EventSource(`/api/client/events/stream${last.current === undefined ? '' : `?after=${last.current}`}`);
      source = opened;
      opened.onopen = () => setIsConnected(true);
      opened.onerror = () => {
        setIsConnected(false);
        if (opened.readyState !== EventSource.CLOSED) return;
        // The server refused: the session may have ended.
        void queries.invalidateQueries({ queryKey: meQuery.queryKey });
        again = setTimeout(follow, RETRY_MS);
      };
      for (const name of names) opened.addEventListener(name, onEvent);
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      clearTimeout(again);
      source?.close();
    };
  }, []);
  return { ...tail, isConnected };
}
