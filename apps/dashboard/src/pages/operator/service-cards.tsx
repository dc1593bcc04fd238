import { Anchor, Card, Group, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, request } from '../../api/client';
import { number } from '../../components/format-number';
import { QueryResult } from '../../components/query-result';
import { StateBadge } from '../../components/state-badge';
import { Dimmed } from '../../components/dimmed';

/** Problems of each service lead to the pages that list them. */
export function ServiceCards() {
  const overview = useQuery({ queryKey: ['overview'], queryFn: () => request(api.GET('/api/admin/overview')), refetchInterval: 5_000 });
  return (
    <QueryResult query={overview}>
      {({ services }) => (
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} mb="lg">
          {services.map(({ name, healthy, answered_in_ms, figures }) => (
            <Card key={name} withBorder padding="sm">
              <Group justify="space-between" wrap="nowrap">
                <Text fw={600} size="sm">
                  {name}
                </Text>
                <StateBadge of={healthy ? 'succeeded' : 'failed'} label={healthy ? `${answered_in_ms} ms` : 'no response'} />
              </Group>
              {Object.entries(figures).map(([label, value]) => (
                <Group key={label} justify="space-between" wrap="nowrap">
                  <Dimmed size="xs">
                    <FigureLabel name={label} />
                  </Dimmed>
                  <Text size="xs" fw={value > 0 && /dead|failing|problem|failed/.test(label) ? 700 : 400}>
                    {number(Math.round(value))}
                  </Text>
                </Group>
              ))}
            </Card>
          ))}
        </SimpleGrid>
      )}
    </QueryResult>
  );
}

function FigureLabel({ name }: { name: string }) {
  const label = name.replaceAll('_', ' ');
  if (name === 'dead_letters')
    return (
      <Anchor component={Link} to="/operator/dead-letters" size="xs">
        {label}
      </Anchor>
    );
  if (name === 'webhooks_failing')
    return (
      <Anchor href="#failing-webhooks" size="xs">
        {label}
      </Anchor>
    );
  return label;
}
