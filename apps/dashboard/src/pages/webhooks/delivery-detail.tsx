import { Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, request, untilGone } from '../../api/client';
import { QueryResult } from '../../components/query-result';
import { RelativeTime } from '../../components/relative-time';
import { StateBadge } from '../../components/state-badge';
import { deliveryOutcome } from './delivery-outcome';
import { SentRequest, WRAPPED } from './sent-request';
import { useRedeliver } from './use-redeliver';

/** One delivery at its own address. */
export function DeliveryDetail({ webhookId, id }: { webhookId: number; id: number }) {
  const detail = useQuery({
    queryKey: ['webhooks', webhookId, 'delivery', id],
    queryFn: () =>
      request(api.GET('/api/client/webhooks/{id}/deliveries/{delivery_id}', { params: { path: { id: webhookId, delivery_id: id } } })),
    refetchInterval: untilGone(2_000),
  });
  const redeliver = useRedeliver(webhookId);
  return (
    <Stack>
      <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/webhooks" search={{ id: String(webhookId) }} />}>
        All deliveries
      </Anchor>
      <QueryResult query={detail}>
        {({ delivery }) => (
          <Stack gap="sm">
            <Group justify="space-between">
              <Group gap="xs">
                <Text fw={600}>{delivery.event}</Text>
                <StateBadge of={delivery.state} />
              </Group>
              <Button size="compact-sm" variant="light" loading={redeliver.isPending} onClick={() => redeliver.mutate(id)}>
                Redeliver
              </Button>
            </Group>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {deliveryOutcome(delivery)}
            </Text>
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              <RelativeTime at={delivery.created_at} /> · {delivery.event_id}
            </Text>
            {delivery.response_body !== undefined && (
              <>
                <Text size="sm" fw={600}>
                  Response of your server
                </Text>
                <Code block style={WRAPPED}>
                  {delivery.response_body}
                </Code>
              </>
            )}
            <SentRequest delivery={delivery} />
          </Stack>
        )}
      </QueryResult>
    </Stack>
  );
}
