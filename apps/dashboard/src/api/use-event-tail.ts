import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { followEvents } from './follow-events';

/** An event as webhooks get it. */
export interface TailedEvent {
  /** The same event has the same key after a new connection. */
  key: string;
  event: string;
  timestamp: string;
  data: Record<string, unknown>;
}

/** The event of a row that marks where events may be missing; its timestamp is the end of the interruption, its `since` the beginning. */
export const INTERRUPTED = 'stream.interrupted';

/** The newest events that a page holds. */
const HELD = 500;

/**
 * Follows the business's events, the newest first. A new connection continues after the last event received, or where the first one began,
 * so that none is lost or shown twice (decision 667).
 */
export function useEventTail(names: readonly string[]): { events: TailedEvent[]; isConnected: boolean; received: number } {
  const queries = useQueryClient();
  const [tail, setTail] = useState<{ events: TailedEvent[]; received: number }>({ events: [], received: 0 });
  const [isConnected, setIsConnected] = useState(false);
  const last = useRef<string>(undefined);
  useEffect(() => {
    /** When the connection broke; undefined while it is open. */
    let brokenAt: string | undefined;
    const onBreak = () => {
      brokenAt ??= new Date().toISOString();
      setIsConnected(false);
    };
    const hold = (event: TailedEvent) => setTail(({ events, ...rest }) => ({ ...rest, events: [event, ...events].slice(0, HELD) }));
    const onStart = ({ data, lastEventId }: MessageEvent<string>) => {
      const { is_complete } = JSON.parse(data) as { is_complete: boolean };
      const timestamp = new Date().toISOString();
      if (!is_complete) hold({ key: `${lastEventId} ${timestamp}`, event: INTERRUPTED, timestamp, data: { since: brokenAt ?? timestamp } });
      last.current = lastEventId;
      brokenAt = undefined;
    };
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
    return followEvents(queries, {
      after: () => last.current,
      listen: (stream) => {
        stream.onopen = () => setIsConnected(true);
        stream.addEventListener('stream.started', onStart);
        for (const name of names) stream.addEventListener(name, onEvent);
      },
      onBreak,
    });
  }, []);
  return { ...tail, isConnected };
}
