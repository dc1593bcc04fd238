import { Anchor, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { useMayCall } from '../../api/session';
import { StateBadge } from '../../components/state-badge';

type Delivery = NonNullable<Schemas['MessageDetail']['webhooks']>[number];

/** The delivery of one event of the message to one webhook. */
export function CarriedBy({ delivery }: { delivery: Delivery }) {
  const { id, webhook_id, webhook_name, event, response_code, duration_ms, state } = delivery;
  const hasLog = useMayCall('GET /api/client/webhooks/{id}/deliveries/{delivery_id}');
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm" style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        {hasLog ? (
          <Anchor
            size="sm"
            renderRoot={(props) => <Link {...props} to="/webhooks" search={{ id: String(webhook_id), delivery: String(id) }} />}
          >
            {webhook_name}
          </Anchor>
        ) : (
          webhook_name
        )}{' '}
        <Text span size="sm" c="dimmed">
          {event}
        </Text>
      </Text>
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {[response_code, duration_ms !== null && `${duration_ms} ms`].filter(Boolean).join(' · ')}
        </Text>
        <StateBadge of={state} />
      </Group>
    </Group>
  );
}
