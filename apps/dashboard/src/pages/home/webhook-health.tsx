import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, request, type Schemas } from '../../api/client';
import { DeliveryRate } from '../../components/delivery-rate';
import { StateBadge } from '../../components/state-badge';
import { counted } from '../../components/format-number';

type Webhook = Schemas['Webhooks']['webhooks'][number];

/** The deliveries of each webhook in the last 24 hours, with its log one click away. */
export function WebhookHealth({ webhooks }: { webhooks: Webhook[] }) {
  if (webhooks.length === 0)
    return (
      <Text c="dimmed" size="sm">
        No webhook yet.{' '}
        <Anchor inherit td="underline" renderRoot={(props) => <Link {...props} to="/webhooks" />}>
          Add one
        </Anchor>{' '}
        to receive events on your server.
      </Text>
    );
  return (
    <Stack gap="sm">
      {webhooks.map((webhook) => (
        <div key={webhook.id}>
          <Group justify="space-between" gap="xs">
            <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere', minWidth: 0, flex: 1 }}>
              {webhook.name}
            </Text>
            {webhook.is_active !== 1 ? (
              <StateBadge of="pending" label="off" />
            ) : (
              webhook.fail_count > 0 && <StateBadge of="failed" label={`${counted(webhook.fail_count, 'failure')} in a row`} />
            )}
          </Group>
          <DeliveryRate webhook={webhook} />
          <DeliveriesLink webhook={webhook} />
        </div>
      ))}
    </Stack>
  );
}

/** Names failed events as long as one waits for its redelivery. The counts by hour also have the redelivered ones, so it looks into the log. */
function DeliveriesLink({ webhook: { id, fail_count, last_24_hours = [] } }: { webhook: Webhook }) {
  const failed = last_24_hours.filter((hour) => hour.failed > 0);
  const from = failed[0]?.hour;
  const left = useQuery({
    queryKey: ['home', 'failed', id, from],
    queryFn: () =>
      request(
        api.GET('/api/client/webhooks/{id}/deliveries', {
          params: { path: { id }, query: { state: 'failed', limit: '10', ...(from && { from }) } },
        }),
      ),
    enabled: fail_count === 0 && from !== undefined,
    refetchInterval: 60_000,
  });
  const hasFailed = fail_count > 0 || (left.data?.deliveries ?? []).some(({ event_id }) => !event_id.startsWith('test:'));
  return (
    <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/webhooks" search={{ id: String(id) }} />}>
      {hasFailed ? 'See and recover failed events' : 'Deliveries'}
    </Anchor>
  );
}
