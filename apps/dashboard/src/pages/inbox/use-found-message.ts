import { useEffect, useRef, type RefObject } from 'react';
import type { ThreadMessage } from './thread-message';

/** Older pages that are loaded for a message. A refresh loads every page again. */
const MAX_PAGES = 20;

export interface MessagePages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => Promise<unknown>;
}

/**
 * Loads older messages until the found one is there, and scrolls to it once.
 * @param log contains the message, marked by `aria-current`
 * @param found the id of the message; undefined without a search
 */
export function useFoundMessage(
  log: RefObject<HTMLElement | null>,
  found: string | undefined,
  messages: ThreadMessage[],
  { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage }: MessagePages,
): void {
  const shown = useRef<string>(undefined);
  const loads = useRef(0);
  const isLoaded = messages.some(({ message_id }) => message_id === found);
  useEffect(() => {
    loads.current = 0;
  }, [found]);
  useEffect(() => {
    if (found === undefined || found === shown.current) return;
    if (isLoaded) {
      shown.current = found;
      log.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
    } else if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError && loads.current < MAX_PAGES) {
      loads.current += 1;
      void fetchNextPage();
    }
  }, [found, isLoaded, hasNextPage, isFetchingNextPage, isFetchNextPageError]);
}
