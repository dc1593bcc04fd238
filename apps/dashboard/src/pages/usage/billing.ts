import type { Schemas } from '../../api/client';
import { monthPartShown } from '../../components/clock-time';
import { csvFile } from '../../components/csv-file';
import { sumMoney } from '../../components/money';

export type BillingLine = Schemas['Usage']['billing'][number];

/** The sums of each month of the period, the newest first. A month that the period cuts is named by its days. */
export function byMonth(lines: BillingLine[], from: string, to: string) {
  const sums = sumsBy(lines, ({ day }) => day.slice(0, 'YYYY-MM'.length));
  return sums.reverse().map(({ name: month, ...sum }) => {
    const last = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).toISOString().slice(0, 10);
    const [begin, end] = [`${month}-01`, last];
    return { ...sum, name: monthPartShown(from > begin ? from : begin, to < end ? to : end) };
  });
}

/** The sums of each category over the whole period, the most frequent first. */
export const byCategory = (lines: BillingLine[]) =>
  sumsBy(lines, ({ category }) => category).sort((one, other) => other.charged + other.free - one.charged - one.free);

function sumsBy(lines: BillingLine[], nameOf: (line: BillingLine) => string) {
  const groups = new Map<string, BillingLine[]>();
  for (const line of lines) groups.set(nameOf(line), [...(groups.get(nameOf(line)) ?? []), line]);
  const count = (some: BillingLine[]) => some.reduce((sum, line) => sum + line.count, 0);
  return [...groups].map(([name, some]) => ({
    name,
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
