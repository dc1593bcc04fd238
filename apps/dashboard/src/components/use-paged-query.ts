import { isGone, untilLoaded } from '../api/client';
import { keepPreviousData, useInfiniteQuery, type QueryKey } from '@tanstack/react-query';

interface Page {
  next_cursor: string | null;
}
interface Paged<P extends Page, R> {
  queryKey: QueryKey;
  /** @param cursor undefined for the first page */
  load: (page: { cursor?: string }) => Promise<P>;
  rows: (page: P) => R[];
  /** In milliseconds, or computed from the rows. */
  refetchInterval?: number | ((rows: R[]) => number);
  /** False keeps the loaded pages as they are. */
  enabled?: boolean;
}

/** Loads a paged list; `data` holds the rows of all loaded pages. */
export function usePagedQuery<P extends Page, R>({ queryKey, load, rows, refetchInterval, enabled = true }: Paged<P, R>) {
  return useInfiniteQuery({
    queryKey,
    enabled,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) => load(pageParam === null ? {} : { cursor: pageParam }),
    getNextPageParam: ({ next_cursor }: P) => next_cursor,
    // Keep the old rows while a new search loads: the page must not lose the field that has the focus.
    placeholderData: keepPreviousData,
    select: ({ pages }) => pages.flatMap(rows),
    refetchInterval: (query) => {
      const { error, data } = query.state;
      if (isGone(error)) return false;
      return typeof refetchInterval === 'function'
        ? refetchInterval((data?.pages ?? []).flatMap(rows))
        : (refetchInterval ?? untilLoaded(query));
    },
  });
}
