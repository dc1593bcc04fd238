import { Anchor, Card, Group, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, request } from '../../api/client';
import { duration } from '../../components/clock';
import { number } from '../../components/format-number';
import { QueryResult } from '../../components/query-result';
import { StateBadge } from '../../components/state-badge';
import { Dimmed } from '../../components/dimmed';

/** The names that Prometheus has, in words. */
const LABELS: Record<string, string> = {
  uptime_seconds: 'Running for',
  outbox_waiting: 'Events that wait for publication',
  outbox_oldest_seconds: 'Oldest of them',
  dead_letters: 'Dead letters',
  callbacks_waiting: 'Callbacks that wait',
  callbacks_oldest_seconds: 'Oldest callback',
  events_in_backlog: 'Events in the backlog',
  deliveries_waiting: 'Deliveries that wait',
  deliveries_oldest_seconds: 'Oldest delivery',
  webhooks_failing: 'Webhooks that fail',
  broadcasts_running: 'Broadcasts that run',
  recipients_waiting: 'Recipients that wait',
  recipients_unclear: 'Recipients without a clear result',
  replies_waiting: 'Replies that wait',
  replies_failed_last_hour: 'Replies that failed in an hour',
  sends_last_minute: 'Sends in the last minute',
  sends_under_way: 'Sends at WhatsApp now',
  sends_unresolved: 'Sends without a clear result',
  connections: 'Connections',
  connections_with_problem: 'Connections with a problem',
  syncs_failed: 'Template syncs that failed',
};
const PROBLEMS = ['dead_letters', 'webhooks_failing', 'replies_failed_last_hour', 'connections_with_problem', 'syncs_failed'];

/** Problems of each service lead to the pages that list them. */
export function ServiceCards() {
  const overview = useQuery({ queryKey: ['overview'], queryFn: () => request(api.GET('/api/admin/overview')), refetchInterval: 5_000 });
  return (
    <QueryResult query={overview}>
      {({ services }) => (
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} mb="lg">
          {services.map(({ name, healthy, responded_in_ms, metrics }) => (
            <Card key={name} withBorder padding="sm">
              <Group justify="space-between" wrap="nowrap">
                <Text fw={600} size="sm">
                  {name}
                </Text>
                <StateBadge of={healthy ? 'succeeded' : 'failed'} label={healthy ? `${responded_in_ms} ms` : 'no response'} />
              </Group>
              {Object.entries(metrics).map(([name, value]) => (
                <Group key={name} justify="space-between" wrap="nowrap">
                  <Dimmed size="xs">
                    <MetricLabel name={name} />
                  </Dimmed>
                  <Text size="xs" fw={value > 0 && PROBLEMS.includes(name) ? 700 : 400} style={{ whiteSpace: 'nowrap' }}>
                    {name.endsWith('_seconds') ? duration(value * 1_000) : number(Math.round(value))}
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

function MetricLabel({ name }: { name: string }) {
  const label = LABELS[name] ?? name.replaceAll('_', ' ');
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
