import type { ReactNode } from 'react';
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
  isError: boolean;
  error: unknown;
  refetch: () => Promise<unknown>;
}

/** Shows a query's loading, error and success state; `children` renders its data. */
export function QueryResult<T>({ query, rows, children }: { query: Query<T>; rows?: number; children: (data: T) => ReactNode }) {
  // A resource may also be deleted while its page is open.
  if (isGone(query.error)) return <Gone />;
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <LoadFailed error={query.error} retry={() => void query.refetch()} />;
  return <LoadingRows rows={rows ?? 6} />;
}
