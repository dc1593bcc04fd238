import { Text } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { CostSummary } from '../../components/cost-summary';

/** A running broadcast keeps a line for its cost, so that nothing moves when WhatsApp reports the first price. */
export function BroadcastCost({ cost, status }: Pick<Schemas['Broadcast'], 'cost' | 'status'>) {
  if (cost) return <CostSummary {...cost} />;
  if (status !== 'running') return null;
  return (
    <Text size="sm" c="dimmed">
      No cost reported by WhatsApp yet
    </Text>
  );
}
