import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useEffect } from 'react';
import { followEvents } from './follow-events';

const EVENTS = ['message.received', 'message.sent', 'message.status', 'conversation.created', 'broadcast.completed', 'ai.replied'];
/** The shortest time between two refreshes, in milliseconds. */
const PAUSE_MS = 1_000;

/**
 * Refreshes the queries under a key when an event of this business arrives. One refresh runs at a time and at most one waits: a new request
 * cancels the one before, and dozens of events a second would let none finish.
 * @param also keys of further queries
 */
export function useLiveRefresh(key: string, { names = EVENTS, also = [] }: { names?: string[]; also?: QueryKey[] } = {}): void {
  const queries = useQueryClient();
  useEffect(() => {
    let due = false;
    let running = false;
    const reload = () => Promise.all([[key], ...also].map((queryKey) => queries.invalidateQueries({ queryKey })));
    const refresh = async () => {
      due = true;
      if (running) return;
      running = true;
      while (due) {
        due = false;
        const pause = new Promise((resume) => setTimeout(resume, PAUSE_MS));
        await Promise.all([pause, reload()]);
      }
      running = false;
    };
    return followEvents(queries, {
      listen: (stream) => {
        for (const name of names) stream.addEventListener(name, () => void refresh());
        // A stream begins with the next event: the page may have loaded its data before the events in between. Requests of the connection
        // that broke may wait for a minute, so this refresh does not wait for them.
        stream.addEventListener('open', () => void reload());
      },
    });
    // One stream serves the page until it closes.
  }, []);
}
