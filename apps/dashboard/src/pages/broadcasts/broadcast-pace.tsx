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

/** @param pace messages a second; null until it is known @param due recipients who wait for nothing but their turn */
export function BroadcastPace({ pace, due }: { pace: number | null; due: number }) {
  if (pace === null) return <Text size="sm">Measuring the pace…</Text>;
  if (pace === 0) return <Text size="sm">Nothing was sent in the last {PACE_MS / 1_000} seconds</Text>;
  const left = due / pace;
  return (
    <Text size="sm">
      {pace < 10 ? pace.toFixed(1) : Math.round(pace)} a second
      {` · about ${left < 90 ? counted(Math.ceil(left), 'second') : `${Math.ceil(left / 60)} minutes`} to go`}
    </Text>
  );
}
