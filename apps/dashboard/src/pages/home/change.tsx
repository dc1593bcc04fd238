import { Text } from '@mantine/core';

interface ChangeProps {
  /** The difference from the previous period, as people read it: `+12 %`, or `+0.3` points of a rate. */
  text: string;
  isGood: boolean;
  /** The period before: `7 days`. */
  period: string;
}

export function Change({ text, isGood, period }: ChangeProps) {
  return (
    <Text span size="sm" fw={600} c={isGood ? 'green' : 'red'} title={`Compared with the ${period} before; rates in points`}>
      {text}
    </Text>
  );
}
