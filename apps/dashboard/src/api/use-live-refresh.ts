import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

const EVENTS = ['message.received', 'message.sent', 'conversation.created', 'broadcast.completed', 'ai.replied'];
/** The shortest time between two refreshes, in milliseconds. */
const PAUSE_MS = 1_000;

/**
 * Refreshes the queries under a key when an event of this business arrives. One refresh runs at a time and at most one waits: a new request
 * cancels the one before, and dozens of events a second would let none finish. A hidden tab closes its stream, because a browser has six
 * HTTP/1.1 connections for all tabs of a site.
 */
export function useLiveRefresh(key: string, names = EVENTS): void {
  const queries = useQueryClient();
  useEffect(() => {
    let source: EventSource | null = null;
    let due = false;
    let running = false;
    const refresh = async () => {
      due = true;
      if (running) return;
      running = true;
      while (due) {
        due = false;
        const pause = new Promise((resume) => setTimeout(resume, PAUSE_MS));
        await Promise.all([queries.invalidateQueries({ queryKey: [key] }), pause]);
      }
      running = false;
    };
    const listen = () => {
      source?.close();
      source = document.hidden ? null : new EventSource('/api/client/events/stream');
      for (const name of names) source?.addEventListener(name, () => void refresh());
    };
    listen();
    document.addEventListener('visibilitychange', listen);
    return () => {
      document.removeEventListener('visibilitychange', listen);
      source?.close();
    };
    // One stream serves the page until it closes.
  }, []);
}
