import { useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { usePagedQuery } from './use-paged-query';

/**
 * A paged list that loads its next page when a person nears its end. A refresh loads every page again, so a list does not refresh after
 * its first page until the person goes back to the newest rows.
 */
export function useEndlessQuery<P extends { next_cursor: string | null }, R>(query: Parameters<typeof usePagedQuery<P, R>>[0]) {
  const queries = useQueryClient();
  const [scrolled, setScrolled] = useState<string>();
  const key = JSON.stringify(query.queryKey);
  const isLive = scrolled !== key;
  const list = usePagedQuery({ ...query, enabled: isLive });
  // Keep the first page only, because the next visit refreshes every kept page.
  useEffect(
    () => () => {
      setScrolled(undefined);
      queries.setQueryData<InfiniteData<P>>(query.queryKey, (kept) => kept && withFirstPage(kept));
    },
    [key],
  );
  return {
    list,
    isLive,
    loadMore: () => {
      if (!list.hasNextPage || list.isFetchingNextPage) return;
      setScrolled(key);
      void list.fetchNextPage();
    },
    backToNewest: () => {
      setScrolled(undefined);
      void queries.resetQueries({ queryKey: query.queryKey });
    },
  };
}

const withFirstPage = <P>({ pages, pageParams }: InfiniteData<P>) => ({ pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) });
