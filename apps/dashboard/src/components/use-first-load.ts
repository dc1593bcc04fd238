import { useIsFetching, useQueryClient, type Query } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

const FIRST_LOADS = { predicate: ({ state }: Query) => state.status === 'pending' };

/**
 * Whether a query of the page loads for the first time. A page that shows its cards together moves none of them when a late one arrives.
 * Call it after the page's own queries.
 */
export function useFirstLoad(): boolean {
  const queries = useQueryClient();
  const [isLoading, setIsLoading] = useState(true);
  // Draws again when a load ends.
  useIsFetching(FIRST_LOADS);
  // Count in an effect, because queries begin in effects; one may begin when another ends.
  useEffect(() => {
    if (queries.isFetching(FIRST_LOADS) === 0) setIsLoading(false);
  });
  return isLoading;
}
