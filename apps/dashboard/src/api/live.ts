import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

const EVENTS = ['message.received', 'message.sent', 'conversation.created', 'broadcast.completed', 'ai.replied'];
/** Least time between two refreshes, in milliseconds. */
const PAUSE_MS = 1_000;

/**
 * Refreshes what is kept under a key when something happened to this business, as it happens; the browser reconnects by itself and goes
 * on where it was. While an answer is under way nothing is asked, and once more after it: a new question gives up the answer to the one
 * before, and dozens of events a second would let none come. A tab that nobody sees listens to nothing: over HTTP/1.1 a browser has six
 * connections for all tabs together, and the seventh tab would wait for ever.
 */
export function useLive(key: string, names = EVENTS): void {
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
    // One stream for the life of the page.
  }, []);
}
