import { Text } from '@mantine/core';
import { counted } from './format-number';
import { money } from './money';

interface Costs {
  currency: string | null;
  cost: string;
  charged: number;
  free: number;
  without_rate: number;
}

/** The cost of delivered messages, and how many of them have no rate. */
export function CostSummary({ currency, cost, charged, free, without_rate }: Costs) {
  const isUnknown = charged > 0 && charged === without_rate;
  const parts = [
    `${counted(charged, 'message')} charged`,
    ...(free > 0 ? [`${counted(free, 'message')} free`] : []),
    ...(without_rate > 0 && !isUnknown ? [`${counted(without_rate, 'charged message')} without a rate`] : []),
  ];
  return (
    <Text size="sm">
      <b>{isUnknown ? 'No rate' : money(cost, currency)}</b> · {parts.join(', ')}
    </Text>
  );
}
