import { Button } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, type QueryKey } from '@tanstack/react-query';

interface Page {
  next_cursor: string | null;
}
interface Paged<P extends Page, R> {
  queryKey: QueryKey;
  /** @param cursor nothing for the first page */
  load: (page: { cursor?: string }) => Promise<P>;
  rows: (page: P) => R[];
  /** In milliseconds; it may follow from the rows. */
  refetchInterval?: number | ((rows: R[]) => number);
}

/** A list that comes in pages, as one; `data` are the rows of those that were asked for. */
export function usePages<P extends Page, R>({ queryKey, load, rows, refetchInterval }: Paged<P, R>) {
  return useInfiniteQuery({
    queryKey,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) => load(pageParam === null ? {} : { cursor: pageParam }),
    getNextPageParam: ({ next_cursor }: P) => next_cursor,
    // Of another search the list stays until its own is there, with the field that is being typed in.
    placeholderData: keepPreviousData,
    select: ({ pages }) => pages.flatMap(rows),
    refetchInterval: ({ state }) =>
      typeof refetchInterval === 'function' ? refetchInterval((state.data?.pages ?? []).flatMap(rows)) : (refetchInterval ?? false),
  });
}

interface MoreProps {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  children: string;
}

/** The way on, below a list of which there is more. */
export function More({ list, children }: MoreProps) {
  if (!list.hasNextPage) return null;
  return (
    <Button
      variant="default"
      size="sm"
      style={{ alignSelf: 'center', flexShrink: 0 }}
      loading={list.isFetchingNextPage}
      onClick={() => void list.fetchNextPage()}
    >
      {children}
    </Button>
  );
}
