import { Anchor, Box, Card, Group, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, request } from '../../api/client';
import { useLiveRefresh } from '../../api/use-live-refresh';
import { useMe } from '../../api/session';
import { RelativeTime } from '../../components/relative-time';
import { StateBadge } from '../../components/state-badge';
import { QueryResult } from '../../components/query-result';
import { PageTitle } from '../../components/page-title';
import { UsageMetrics } from './usage-metrics';
import { totalsOf } from './usage-totals';
import { TodaysUsage } from './todays-usage';
import { DeliveryFunnel } from './delivery-funnel';
import { FirstSteps } from './first-steps';

/** The state of the business: connection, today's usage, delivery, failures and first steps. */
export function HomePage() {
  const { business } = useMe();
  useLiveRefresh('home');
  const connection = useQuery({ queryKey: ['home', 'connection'], queryFn: () => request(api.GET('/api/client/connection')) });
  const usage = useQuery({ queryKey: ['home', 'usage'], queryFn: () => request(api.GET('/api/client/usage')), refetchInterval: 15_000 });
  const failed = useQuery({
    queryKey: ['home', 'failed'],
    queryFn: () => request(api.GET('/api/client/messages', { params: { query: { status: 'failed', limit: '5' } } })),
    refetchInterval: 15_000,
  });
  const webhooks = useQuery({ queryKey: ['home', 'webhooks'], queryFn: () => request(api.GET('/api/client/webhooks')) });
  // A delivery before the last 30 days counts too, and usage does not show it.
  const delivered = useQuery({
    queryKey: ['home', 'delivered'],
    queryFn: async () => {
      const first = (status: 'delivered' | 'read') =>
        request(api.GET('/api/client/messages', { params: { query: { status, limit: '1' } } }));
      return (await Promise.all([first('delivered'), first('read')])).some(({ messages }) => messages.length > 0);
    },
    refetchInterval: (query) => (query.state.data === true ? false : 15_000),
  });
  return (
    <>
      <PageTitle title="Home" about={`The last 30 days of ${business?.name ?? ''}`} />
      <Box mb="md">
        <QueryResult query={usage} rows={2}>
          {(report) => <UsageMetrics {...totalsOf(report)} />}
        </QueryResult>
      </Box>
      <SimpleGrid cols={{ base: 1, md: 2 }} mb="md">
        <Card withBorder>
          <Title order={2} size="h5" mb="sm">
            Connection
          </Title>
          <QueryResult query={connection} rows={2}>
            {({ status, checked_at, problem }) => (
              <Stack gap={4}>
                <Group>
                  <StateBadge of={status} />
                  <Text size="sm" c="dimmed">
                    {checked_at && 'Checked '}
                    <RelativeTime at={checked_at} never="Not checked yet" />
                  </Text>
                </Group>
                {problem && <Text size="sm">{problem}</Text>}
                <Anchor component={Link} to="/settings" size="sm">
                  Connection settings
                </Anchor>
              </Stack>
            )}
          </QueryResult>
        </Card>
        <Card withBorder>
          <Title order={2} size="h5" mb="sm">
            Today’s messages
          </Title>
          <QueryResult query={usage} rows={2}>
            {({ keys }) => <TodaysUsage keys={keys} timezone={business?.timezone_now ?? business?.timezone} />}
          </QueryResult>
        </Card>
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Card withBorder>
          <Title order={2} size="h5" mb="sm">
            From sent to read
          </Title>
          <QueryResult query={usage} rows={3}>
            {(report) => <DeliveryFunnel {...totalsOf(report)} />}
          </QueryResult>
        </Card>
        <Card withBorder>
          <Title order={2} size="h5" mb="sm">
            Latest failures
          </Title>
          <QueryResult query={failed} rows={3}>
            {({ messages }) =>
              messages.length === 0 ? (
                <Text c="dimmed" size="sm">
                  No failures.
                </Text>
              ) : (
                <Table>
                  <Table.Tbody>
                    {messages.map((message) => (
                      <Table.Tr key={message.message_id}>
                        <Table.Td>{message.to}</Table.Td>
                        <Table.Td>
                          <Text size="sm" lineClamp={2}>
                            {message.failure_reason}
                          </Text>
                        </Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              )
            }
          </QueryResult>
        </Card>
        {delivered.data !== true && (
          <Card withBorder>
            <Title order={2} size="h5" mb="sm">
              First steps
            </Title>
            <QueryResult query={connection} rows={4}>
              {({ status }) => (
                <QueryResult query={usage} rows={4}>
                  {({ keys }) => (
                    <QueryResult query={webhooks} rows={4}>
                      {({ webhooks: list }) => (
                        <QueryResult query={delivered} rows={4}>
                          {(isDelivered) => (
                            <FirstSteps
                              steps={[
                                { done: status === 'connected', label: 'Connect your WhatsApp number', to: '/settings' },
                                { done: keys.length > 0, label: 'Create an API key', to: '/api-keys' },
                                { done: list.length > 0, label: 'Add a webhook', to: '/webhooks' },
                                { done: isDelivered, label: 'Send your first message, and see it delivered', to: '/templates' },
                              ]}
                            />
                          )}
                        </QueryResult>
                      )}
                    </QueryResult>
                  )}
                </QueryResult>
              )}
            </QueryResult>
          </Card>
        )}
      </SimpleGrid>
    </>
  );
}
