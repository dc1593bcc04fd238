import { Group, Text } from '@mantine/core';
import { Fact } from '../../components/fact';
import { NumberFacts } from '../../components/number-facts';
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
              {connection.checked_at && 'Checked '}
              <RelativeTime at={connection.checked_at} never="Not checked yet" />
            </Dimmed>
          </Group>
          {connection.problem && (
            <Text size="sm" mb="sm" style={{ overflowWrap: 'anywhere' }}>
              {connection.problem}
            </Text>
          )}
          <Group gap="xl">
            <NumberFacts connection={connection} />
            <Fact name="Account" value={connection.business_account_id} />
          </Group>
        </>
      )}
    </TitledCard>
  );
}
