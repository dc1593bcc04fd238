import { Stack, Text } from '@mantine/core';
import { number } from '../../components/format-number';
import { StateBadge } from '../../components/state-badge';
import { DeliveryRate } from '../../components/delivery-rate';
import type { BusinessDetail } from './business';
import { TitledCard } from '../../components/titled-card';
import { Dimmed } from '../../components/dimmed';

export function BusinessWebhooks({ webhooks }: { webhooks: BusinessDetail['webhooks'] }) {
  return (
    <TitledCard title="Webhooks">
      {webhooks === null && <Text c="dimmed">The dispatcher does not respond.</Text>}
      {webhooks?.length === 0 && <Text c="dimmed">The business has no webhook.</Text>}
      <Stack>
        {webhooks?.map((webhook) => (
          <div key={webhook.id} style={{ overflowWrap: 'anywhere' }}>
            <Text size="sm">
              {webhook.name} {webhook.fail_count > 0 && <StateBadge of="failed" label={`${number(webhook.fail_count)} failed in a row`} />}
              {webhook.is_active === 0 && <StateBadge of="skipped" label="disabled" />}
            </Text>
            <Dimmed size="xs">{webhook.url}</Dimmed>
            <DeliveryRate webhook={webhook} />
          </div>
        ))}
      </Stack>
    </TitledCard>
  );
}
