import {
  Anchor,
  Box,
  Card,
  Group,
  List,
  Paper,
  Progress,
  RingProgress,
  SimpleGrid,
  Stack,
  Table,
  Text,
  ThemeIcon,
  Title,
} from '@mantine/core';
import { IconCheck, IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, ask, type Schemas } from '../api/client';
import { useLive } from '../api/live';
import { useMe } from '../api/session';
import { Ago, number, percent, State } from '../components/bits';
import { Loaded, PageTitle } from '../components/states';

type Usage = Schemas['Usage'];
interface Step {
  done: boolean;
  label: string;
  to: string;
}

/** Where the business stands: connection, today's use, what arrived, what failed, and what to do first. */
export function HomePage() {
  const { business } = useMe();
  useLive('home');
  const connection = useQuery({ queryKey: ['home', 'connection'], queryFn: () => ask(api.GET('/api/client/connection')) });
  const usage = useQuery({ queryKey: ['home', 'usage'], queryFn: () => ask(api.GET('/api/client/usage')), refetchInterval: 15_000 });
  const failed = useQuery({
    queryKey: ['home', 'failed'],
    queryFn: () => ask(api.GET('/api/client/messages', { params: { query: { status: 'failed', limit: '5' } } })),
    refetchInterval: 15_000,
  });
  const webhooks = useQuery({ queryKey: ['home', 'webhooks'], queryFn: () => ask(api.GET('/api/client/webhooks')) });
  // Deliveries of more than 30 days ago count too; the figures do not have them.
  const delivered = useQuery({
    queryKey: ['home', 'delivered'],
    queryFn: async () => {
      const first = (status: 'delivered' | 'read') => ask(api.GET('/api/client/messages', { params: { query: { status, limit: '1' } } }));
      return (await Promise.all([first('delivered'), first('read')])).some(({ messages }) => messages.length > 0);
    },
    refetchInterval: (query) => (query.state.data === true ? false : 15_000),
  });
  return (
    <>
      <PageTitle title="Home" about={`The last 30 days of ${business?.name ?? ''}`} />
      <Box mb="md">
        <Loaded query={usage} rows={2}>
          {(report) => <Figures {...totalsOf(report)} />}
        </Loaded>
      </Box>
      <SimpleGrid cols={{ base: 1, md: 2 }} mb="md">
        <Card withBorder>
          <Title order={2} size="h5" mb="sm">
            Connection
          </Title>
          <Loaded query={connection} rows={2}>
            {({ status, checked_at, problem }) => (
              <Stack gap={4}>
                <Group>
                  <State of={status} />
                  <Text size="sm" c="dimmed">
                    checked <Ago at={checked_at} />
                  </Text>
                </Group>
                {problem && <Text size="sm">{problem}</Text>}
                <Anchor component={Link} to="/settings" size="sm">
                  Settings of the connection
                </Anchor>
              </Stack>
            )}
          </Loaded>
        </Card>
        <Card withBorder>
          <Title order={2} size="h5" mb="sm">
            Today’s messages
          </Title>
          <Loaded query={usage} rows={2}>
            {({ keys }) => <Today keys={keys} timezone={business?.timezone} />}
          </Loaded>
        </Card>
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Card withBorder>
          <Title order={2} size="h5" mb="sm">
            From sent to read
          </Title>
          <Loaded query={usage} rows={3}>
            {(report) => <Funnel {...totalsOf(report)} />}
          </Loaded>
        </Card>
        <Card withBorder>
          <Title order={2} size="h5" mb="sm">
            Last failures
          </Title>
          <Loaded query={failed} rows={3}>
            {({ messages }) =>
              messages.length === 0 ? (
                <Text c="dimmed" size="sm">
                  Nothing has failed.
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
          </Loaded>
        </Card>
        {delivered.data !== true && (
          <Card withBorder>
            <Title order={2} size="h5" mb="sm">
              First steps
            </Title>
            <Loaded query={connection} rows={4}>
              {({ status }) => (
                <Loaded query={usage} rows={4}>
                  {({ keys }) => (
                    <Loaded query={webhooks} rows={4}>
                      {({ webhooks: list }) => (
                        <Loaded query={delivered} rows={4}>
                          {(isDelivered) => (
                            <Steps
                              steps={[
                                { done: status === 'connected', label: 'Connect your WhatsApp number', to: '/settings' },
                                { done: keys.length > 0, label: 'Create an API key', to: '/api-keys' },
                                { done: list.length > 0, label: 'Add a webhook', to: '/webhooks' },
                                { done: isDelivered, label: 'Send your first message, and see it delivered', to: '/templates' },
                              ]}
                            />
                          )}
                        </Loaded>
                      )}
                    </Loaded>
                  )}
                </Loaded>
              )}
            </Loaded>
          </Card>
        )}
      </SimpleGrid>
    </>
  );
}

type Totals = ReturnType<typeof totalsOf>;

function totalsOf({ usage }: Usage) {
  const zero = { sent: 0, delivered: 0, read: 0, failed: 0 };
  return usage.reduce(
    (sum, line) => ({
      sent: sum.sent + line.sent,
      delivered: sum.delivered + line.delivered,
      read: sum.read + line.read,
      failed: sum.failed + line.failed + line.refused,
    }),
    zero,
  );
}

function Figures({ sent, delivered, read, failed }: Totals) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
      <Figure label="Sent" value={number(sent)} />
      <Figure label="Delivered" value={number(delivered)} note={percent(delivered, sent)} />
      <Figure label="Read" value={number(read)} note={percent(read, sent)} />
      <Figure label="Failed or refused" value={number(failed)} note={percent(failed, sent + failed)} />
    </SimpleGrid>
  );
}

/** @param keys their use is null when it could not be asked for */
function Today({ keys, timezone }: { keys: Usage['keys']; timezone: string | undefined }) {
  const used = keys.reduce<number | null>((sum, { used_today }) => (sum === null || used_today === null ? null : sum + used_today), 0);
  const cap = keys.reduce((sum, key) => sum + key.daily_limit, 0);
  const share = used === null || cap === 0 ? 0 : Math.min(1, used / cap);
  return (
    <Group wrap="nowrap">
      <RingProgress
        size={84}
        thickness={9}
        roundCaps
        role="img"
        aria-label={used === null ? 'How many are used is not known' : `${used} of ${cap} used`}
        sections={[{ value: share * 100, color: share > 0.8 ? 'orange' : 'green' }]}
      />
      <div>
        <Text size="xl" fw={650}>
          {used === null ? '?' : number(used)} / {number(cap)}
        </Text>
        <Text size="sm" c="dimmed">
          of the daily limits of your keys; they start again at midnight, {timezone}
        </Text>
      </div>
    </Group>
  );
}

function Funnel(totals: Totals) {
  return (
    <Stack gap="sm">
      {(['sent', 'delivered', 'read'] as const).map((name) => (
        <div key={name}>
          <Group justify="space-between">
            <Text size="sm" tt="capitalize">
              {name}
            </Text>
            <Text size="sm" c="dimmed">
              {number(totals[name])} · {percent(totals[name], totals.sent)}
            </Text>
          </Group>
          <Progress value={totals.sent === 0 ? 0 : (totals[name] / totals.sent) * 100} aria-label={name} />
        </div>
      ))}
    </Stack>
  );
}

function Steps({ steps }: { steps: Step[] }) {
  return (
    <List spacing="sm" center>
      {steps.map(({ done, label, to }) => (
        <List.Item
          key={label}
          icon={
            <ThemeIcon size={22} radius="xl" variant={done ? 'filled' : 'default'}>
              {done ? <IconCheck size={14} /> : <IconCircleDashed size={14} />}
            </ThemeIcon>
          }
        >
          {done ? (
            <Text td="line-through">{label}</Text>
          ) : (
            <Anchor component={Link} to={to}>
              {label}
            </Anchor>
          )}
        </List.Item>
      ))}
    </List>
  );
}

function Figure({ label, value, note }: { label: string; value: string; note?: string }) {
  return (
    <Paper withBorder p="md" radius="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Group align="baseline" gap="xs">
        <Text fz={28} fw={650} lh={1.2}>
          {value}
        </Text>
        {note && (
          <Text size="sm" c="dimmed">
            {note}
          </Text>
        )}
      </Group>
    </Paper>
  );
}
