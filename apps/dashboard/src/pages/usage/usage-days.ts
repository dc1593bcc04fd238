import { type Schemas } from '../../api/client';
import { type Bar } from '../../components/bar';
import { csvFile } from '../../components/csv-file';
import { STATUS_PARTS, statusValues } from '../../components/status-parts';

type UsageLine = Schemas['Usage']['usage'][number];

const DAY_MS = 86_400_000;
const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
export const COUNT_NAMES = ['sent', 'delivered', 'read', 'failed', 'refused'] as const;

/** The usage of each day, in disjoint parts. */
export function byDay(lines: UsageLine[], from: string, to: string): Bar[] {
  const days: Bar[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    const parts = lines.filter((line) => line.day === day).map(statusValues);
    days.push({ name: DAY.format(at), values: STATUS_PARTS.map((_, i) => parts.reduce((sum, part) => sum + (part[i] ?? 0), 0)) });
  }
  return days;
}

export function csvOf(lines: UsageLine[]): string {
  return csvFile([
    ['day', 'kind', ...COUNT_NAMES],
    ...lines.map((line) => [line.day, line.kind, ...COUNT_NAMES.map((name) => line[name])]),
  ]);
}
