import { Skeleton, Stack } from '@mantine/core';

export function LoadingRows({ rows = 6 }: { rows?: number }) {
  return (
    <Stack gap="xs" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        <Skeleton key={i} height={42} radius="md" />
      ))}
    </Stack>
  );
}
