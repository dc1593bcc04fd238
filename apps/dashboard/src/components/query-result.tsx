import { useRef, type ReactNode } from 'react';
import { isGone } from '../api/client';
import { Gone } from './gone';
import { LoadFailed } from './load-failed';
import { Skeleton, Stack } from '@mantine/core';

export function LoadingRows({ rows = 6 }: { rows?: number }) {
  return (
    <Stack gap="xs" role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        <Skeleton key={i} height={42} radius="md" />
      ))}
    </Stack>
  );
}

interface Query<T> {
  data: T | undefined;
  error: unknown;
  errorUpdateCount: number;
  isFetching: boolean;
  refetch: () => Promise<unknown>;
}

/** @returns the error of a query without data, also while it is loaded again; null before its first load ends */
export function useFailure({ data, error, errorUpdateCount }: Pick<Query<unknown>, 'data' | 'error' | 'errorUpdateCount'>): unknown {
  const failure = useRef<unknown>(null);
  if (error) failure.current = error;
  // A query with another key has not failed yet.
  return data === undefined && errorUpdateCount > 0 ? failure.current : null;
}

/** Shows a query's loading, error and success state; `children` renders its data. The error stays while the query is loaded again. */
export function QueryResult<T>({ query, rows, children }: { query: Query<T>; rows?: number; children: (data: T) => ReactNode }) {
  const failure = useFailure(query);
  // A resource may also be deleted while its page is open.
  if (isGone(query.error ?? failure)) return <Gone />;
  if (query.data !== undefined) return children(query.data);
  if (failure) return <LoadFailed error={failure} isRetrying={query.isFetching} retry={() => void query.refetch()} />;
  return <LoadingRows rows={rows ?? 6} />;
}
