import { Text } from '@mantine/core';
import { counted } from '../../components/format-number';

/** The period over which the pace is measured. */
export const PACE_MS = 10_000;

/** The progress of a broadcast at a time. */
export interface Look {
  at: number;
  done: number;
}

/** @returns messages a second; null until it is known */
export function paceOf(looks: Look[]): number | null {
  const [first, last] = [looks[0], looks[looks.length - 1]];
  return first && last && last.at > first.at ? ((last.done - first.done) / (last.at - first.at)) * 1_000 : null;
}

/** @param pace messages a second; null until it is known */
export function BroadcastPace({ pace, pending }: { pace: number | null; pending: number }) {
  if (pace === null) return <Text size="sm">Measuring the pace…</Text>;
  const left = pending / pace;
  return (
    <Text size="sm">
      {pace < 10 ? pace.toFixed(1) : Math.round(pace)} a second
      {pace > 0 && ` · about ${left < 90 ? counted(Math.ceil(left), 'second') : `${Math.ceil(left / 60)} minutes`} to go`}
    </Text>
  );
}
