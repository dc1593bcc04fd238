import { Button } from '@mantine/core';

interface LoadMoreProps {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  children: string;
}

/** Loads the next page of a list. */
export function LoadMore({ list, children }: LoadMoreProps) {
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
