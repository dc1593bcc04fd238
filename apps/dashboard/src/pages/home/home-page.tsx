import { Box, Grid, SimpleGrid, Skeleton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, request } from '../../api/client';
import { barLength, periodOf, periodTotals, type Period } from '../../api/message-counts';
import { useMe } from '../../api/session';
import { inboxCountsQuery } from '../../api/inbox-counts';
import { useLiveRefresh } from '../../api/use-live-refresh';
import { useZone } from '../../api/use-zone';
import { PageTitle } from '../../components/page-title';
import { PeriodSwitch } from '../../components/period-switch';
import { LoadingRows, QueryResult } from '../../components/query-result';
import { StackedBars } from '../../components/stacked-bars';
import { TitledCard } from '../../components/titled-card';
import { useFirstLoad } from '../../components/use-first-load';
import { Checklist } from './checklist';
import { ConnectionState } from './connection-state';
import { DeliveryFunnel } from './delivery-funnel';
import { FailureReasons } from './failure-reasons';
import { LatestMessages } from './latest-messages';
import { MessageMetrics } from './message-metrics';
import { PARTS, plotBars } from './plot-bars';
import { useIsDelivered } from './use-is-delivered';
import { WaitingMetric } from './waiting-metric';
import { WebhookHealth } from './webhook-health';

const route = getRouteApi('/inside/');
const REFRESH_MS = 15_000;
/** The newest messages that the page lists. */
const LATEST = 10;

/** The state of the business: who waits, how far messages came, why some failed, webhooks and connection. */
export function HomePage() {
  const { business } = useMe();
  const zone = useZone();
  const search = route.useSearch() as { period?: string };
  const navigate = route.useNavigate();
  const period: Period = periodOf(search.period) ?? '7d';
  useLiveRefresh('home', { also: [inboxCountsQuery.queryKey] });
  const counts = useQuery({
    queryKey: ['home', 'counts', period],
    queryFn: () => request(api.GET('/api/client/messages/counts', { params: { query: { period } } })),
    refetchInterval: REFRESH_MS,
    // The cards keep their place while another period loads.
    placeholderData: keepPreviousData,
  });
  const connection = useQuery({
    queryKey: ['home', 'connection'],
    queryFn: () => request(api.GET('/api/client/connection')),
    refetchInterval: REFRESH_MS,
  });
  const webhooks = useQuery({
    queryKey: ['home', 'webhooks'],
    queryFn: () => request(api.GET('/api/client/webhooks')),
    refetchInterval: REFRESH_MS,
  });
  const latest = useQuery({
    queryKey: ['home', 'latest'],
    queryFn: () => request(api.GET('/api/client/messages', { params: { query: { limit: LATEST } } })),
    refetchInterval: REFRESH_MS,
  });
  const isDelivered = useIsDelivered(counts.data);
  const isLoading = useFirstLoad();
  return (
    <>
      <PageTitle title="Home" {...(business && { about: `${business.name}; days and hours in the time zone ${zone}` })}>
        {isLoading && <Skeleton height={55} width={340} radius="md" />}
        {connection.data && !isLoading && <ConnectionState connection={connection.data} />}
        <PeriodSwitch value={period} onChange={(next) => void navigate({ search: { period: next }, replace: true })} />
      </PageTitle>
      {isLoading && <LoadingRows />}
      <Box hidden={isLoading}>
        {isDelivered === false && connection.data && webhooks.data && (
          <Checklist connection={connection.data} webhooks={webhooks.data.webhooks} />
        )}
        <SimpleGrid cols={{ base: 2, md: 4 }} mb="md">
          <MessageMetrics counts={counts.data} period={period} />
          <WaitingMetric />
        </SimpleGrid>
        <Grid>
          <Grid.Col span={{ base: 12, md: 7.5 }}>
            <TitledCard title={counts.data ? `Messages per ${barLength(counts.data)}` : 'Messages'} h="100%" mih={{ md: 340 }}>
              <QueryResult query={counts} rows={5}>
                {(data) => (
                  <StackedBars bars={plotBars(data)} parts={PARTS} label="Messages by time and sender; the cards beside it have the sums" />
                )}
              </QueryResult>
            </TitledCard>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 4.5 }}>
            <TitledCard title="From accepted to read" h="100%" mih={{ md: 340 }}>
              <QueryResult query={counts} rows={4}>
                {(data) => <DeliveryFunnel totals={periodTotals(data)} period={period} />}
              </QueryResult>
            </TitledCard>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 7.5 }}>
            <TitledCard title="Why messages failed" h="100%" mih={{ md: 180 }}>
              <QueryResult query={counts} rows={2}>
                {({ failures }) => <FailureReasons failures={failures} period={period} />}
              </QueryResult>
            </TitledCard>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 4.5 }}>
            <TitledCard title="Webhooks, last 24 hours" h="100%" mih={{ md: 180 }}>
              <QueryResult query={webhooks} rows={2}>
                {({ webhooks: list }) => <WebhookHealth webhooks={list} />}
              </QueryResult>
            </TitledCard>
          </Grid.Col>
          {/* The last card, because it grows with the first messages. */}
          <Grid.Col span={12}>
            <TitledCard title="Latest messages">
              <QueryResult query={latest} rows={5}>
                {({ messages }) => <LatestMessages messages={messages} />}
              </QueryResult>
            </TitledCard>
          </Grid.Col>
        </Grid>
      </Box>
    </>
  );
}
