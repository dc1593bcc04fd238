import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, request } from '../../api/client';

export const labelsQuery = {
  queryKey: ['labels'],
  queryFn: () => request(api.GET('/api/client/labels')),
  staleTime: 60_000,
};

/** Labels in their colors. */
export function LabelChips({ names }: { names: string[] }) {
  const { data } = useQuery({ ...labelsQuery, enabled: names.length > 0 });
  return names.map((name) => (
    <Badge
      key={name}
      size="sm"
      variant="light"
      tt="none"
      fw={500}
      color={data?.labels.find((label) => label.name === name)?.color ?? 'gray'}
      style={{ color: 'var(--mantine-color-text)', maxWidth: '100%' }}
    >
      {name}
    </Badge>
  ));
}
