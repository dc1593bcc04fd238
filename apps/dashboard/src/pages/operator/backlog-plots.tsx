import { Card, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, request, type Schemas } from '../../api/client';
import { useZone } from '../../api/use-zone';
import { number } from '../../components/format-number';
import { clockTime } from '../../components/clock-time';
import { QueryResult } from '../../components/query-result';
import { StackedBars } from '../../components/stacked-bars';

type Sample = Schemas['Backlogs']['samples'][number];

interface Plot {
  title: string;
  metrics: { service: string; metric: string; name: string; color: string }[];
}

const EVENT_SERVICES = [
  { service: 'platform-webhook-ingest', name: 'ingest', color: 'blue-6' },
  { service: 'send', name: 'send', color: 'teal-6' },
  { service: 'status', name: 'status', color: 'orange-6' },
];
const PLOTS: Plot[] = [
  { title: 'Events that wait for publication', metrics: EVENT_SERVICES.map((one) => ({ ...one, metric: 'outbox_waiting' })) },
  {
    title: 'Callbacks and deliveries that wait',
    metrics: [
      { service: 'platform-webhook-ingest', metric: 'callbacks_waiting', name: 'callbacks of WhatsApp', color: 'blue-6' },
      { service: 'outbound-webhook-dispatcher', metric: 'deliveries_waiting', name: 'deliveries to webhooks', color: 'teal-6' },
    ],
  },
  {
    title: 'Messages that wait',
    metrics: [
      { service: 'broadcast', metric: 'recipients_waiting', name: 'recipients of running broadcasts', color: 'blue-6' },
      { service: 'auto-reply', metric: 'replies_waiting', name: 'automatic replies', color: 'teal-6' },
    ],
  },
  {
    title: 'Age of the oldest, in seconds',
    metrics: [
      { service: 'platform-webhook-ingest', metric: 'callbacks_oldest_seconds', name: 'callback', color: 'blue-6' },
      { service: 'outbound-webhook-dispatcher', metric: 'deliveries_oldest_seconds', name: 'delivery', color: 'teal-6' },
    ],
  },
];

/** The backlogs of the services at every minute of the last hour. */
export function BacklogPlots() {
  const zone = useZone();
  const backlogs = useQuery({ queryKey: ['backlogs'], queryFn: () => request(api.GET('/api/admin/backlogs')), refetchInterval: 60_000 });
  return (
    <QueryResult query={backlogs}>
      {({ samples }) =>
        samples.length === 0 ? (
          <Text c="dimmed">The first values appear within a minute.</Text>
        ) : (
          <>
            <Text size="sm" c="dimmed" mb="sm">
              Times in the zone {zone}
            </Text>
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              {PLOTS.map((plot) => (
                <BacklogPlot key={plot.title} plot={plot} samples={samples} />
              ))}
            </SimpleGrid>
          </>
        )
      }
    </QueryResult>
  );
}

function BacklogPlot({ plot: { title, metrics }, samples }: { plot: Plot; samples: Sample[] }) {
  const zone = useZone();
  const bars = samples.map(({ at, services }) => ({
    name: clockTime(at, zone),
    values: metrics.map(({ service, metric }) => Math.round(services[service]?.[metric] ?? 0)),
  }));
  const now = bars.at(-1)?.values ?? [];
  return (
    <Card withBorder>
      <Text fw={600} size="sm">
        {title}
      </Text>
      <Text size="xs" c="dimmed" mb="sm">
        Now: {metrics.map(({ name }, i) => `${number(now[i] ?? 0)} ${name}`).join(', ')}
      </Text>
      <StackedBars bars={bars} parts={metrics} label={`${title}, by minute in ${zone} time; the current values are above`} />
    </Card>
  );
}
