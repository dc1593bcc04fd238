import type { Schemas } from '../../api/client';
import { csvFile } from '../../components/csv-file';
import { sumMoney } from '../../components/money';

export type BillingLine = Schemas['Usage']['billing'][number];

/** The sums of each month, the newest first. */
export function byMonth(lines: BillingLine[]) {
  const months = new Map<string, BillingLine[]>();
  for (const line of lines) {
    const month = line.day.slice(0, 'YYYY-MM'.length);
    months.set(month, [...(months.get(month) ?? []), line]);
  }
  const count = (some: BillingLine[]) => some.reduce((sum, line) => sum + line.count, 0);
  return [...months].reverse().map(([month, some]) => ({
    month,
    charged: count(some.filter(({ billable }) => billable)),
    free: count(some.filter(({ billable }) => !billable)),
    withoutRate: count(some.filter(({ billable, cost }) => billable && cost === undefined)),
    cost: sumMoney(some.flatMap(({ cost }) => cost ?? [])),
  }));
}

export function costsCsv(lines: BillingLine[], currency: string | null): string {
  const rows = lines.map(({ day, category, type, billable, count, cost }) => [
    ...[day, category, type, billable ? 'charged' : 'free', count],
    ...[cost ?? '', cost === undefined ? '' : (currency ?? '')],
  ]);
  return csvFile([['day', 'category', 'type', 'price', 'messages', 'cost', 'currency'], ...rows]);
}
