import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { DeliveryRate } from '../../components/delivery-rate';
import { StateBadge } from '../../components/state-badge';
import { counted } from '../../components/format-number';

/** The deliveries of each webhook in the last 24 hours, with its log one click away. */
export function WebhookHealth({ webhooks }: { webhooks: Schemas['Webhooks']['webhooks'] }) {
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
      {webhooks.map((webhook) => {
        const failed = (webhook.last_24_hours ?? []).reduce((sum, hour) => sum + hour.failed, 0);
        return (
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
            <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/webhooks" search={{ id: String(webhook.id) }} />}>
              {failed > 0 ? `See and recover ${counted(failed, 'failed event')}` : 'Deliveries'}
            </Anchor>
          </div>
        );
      })}
    </Stack>
  );
}
