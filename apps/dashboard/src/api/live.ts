import { useEffect } from 'react';

/** Calls when something happened to this business, as it happens; the browser reconnects by itself and goes on where it was. */
export function useLive(onEvent: (name: string) => void): void {
  useEffect(() => {
    const source = new EventSource('/api/client/events/stream');
    const names = ['message.received', 'message.sent', 'conversation.created', 'broadcast.completed', 'ai.replied'];
    for (const name of names) source.addEventListener(name, () => onEvent(name));
    return () => source.close();
    // One stream for the life of the page.
  }, []);
}
