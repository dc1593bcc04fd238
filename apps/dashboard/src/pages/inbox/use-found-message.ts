import { useEffect, useRef, useState, type RefObject } from 'react';
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
 * @returns whether the log will scroll to it
 */
export function useFoundMessage(
  log: RefObject<HTMLElement | null>,
  found: string | undefined,
  messages: ThreadMessage[],
  { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage }: MessagePages,
): boolean {
  const [shown, setShown] = useState<string>();
  const loads = useRef(0);
  const isLoaded = messages.some(({ message_id }) => message_id === found);
  const mayLoad = hasNextPage && !isFetchNextPageError && loads.current < MAX_PAGES;
  const isFinding = found !== undefined && found !== shown && (isLoaded || isFetchingNextPage || mayLoad);
  useEffect(() => {
    loads.current = 0;
  }, [found]);
  useEffect(() => {
    if (!isFinding) return;
    if (isLoaded) {
      setShown(found);
      log.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
    } else if (!isFetchingNextPage) {
      loads.current += 1;
      void fetchNextPage();
    }
  }, [found, isFinding, isLoaded, isFetchingNextPage]);
  return isFinding;
}
