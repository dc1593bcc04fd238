import { Group, Stack, Text } from '@mantine/core';
import { RelativeTime } from '../../components/relative-time';
import { StateBadge } from '../../components/state-badge';
import type { BusinessDetail } from './business';
import { TitledCard } from '../../components/titled-card';
import { Dimmed } from '../../components/dimmed';

export function BusinessConnection({ connection }: { connection: BusinessDetail['connection'] }) {
  return (
    <TitledCard title="Connection">
      {connection === null ? (
        <Text c="dimmed">The template service does not respond.</Text>
      ) : (
        <>
          <Group mb="sm">
            <StateBadge of={connection.status} />
            <Dimmed>
              Checked <RelativeTime at={connection.checked_at} />
            </Dimmed>
          </Group>
          {connection.problem && (
            <Text size="sm" mb="sm" style={{ overflowWrap: 'anywhere' }}>
              {connection.problem}
            </Text>
          )}
          <Group gap="xl">
            <Fact name="Number" value={connection.display_phone_number ?? connection.phone_number_id} />
            <Fact name="Name" value={connection.verified_name} />
            <Fact name="Quality" value={connection.quality_rating} />
            <Fact name="Messaging limit" value={connection.messaging_limit} />
            <Fact name="Throughput" value={connection.throughput} />
            <Fact name="Account" value={connection.business_account_id} />
          </Group>
        </>
      )}
    </TitledCard>
  );
}

function Fact({ name, value }: { name: string; value: string | null }) {
  return (
    <Stack gap={0}>
      <Dimmed size="xs">{name}</Dimmed>
      <Text size="sm">{value ?? 'Not known'}</Text>
    </Stack>
  );
}
