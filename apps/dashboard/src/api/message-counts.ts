import type { Schemas } from './client';

export type MessageCounts = Schemas['MessageCounts'];
type Counts = NonNullable<MessageCounts['previous']>;
/** The periods that have a name in the API. */
export const PERIODS = [
  { value: '24h', label: '24 h', text: '24 hours' },
  { value: '7d', label: '7 days', text: '7 days' },
  { value: '30d', label: '30 days', text: '30 days' },
] as const;
export type Period = (typeof PERIODS)[number]['value'];

export const periodOf = (text: string | undefined): Period | undefined => PERIODS.find(({ value }) => value === text)?.value;

/** Messages by how far they came; each part includes the later ones. `failed` also has those that WhatsApp refused. */
export interface Totals {
  accepted: number;
  sent: number;
  delivered: number;
  read: number;
  failed: number;
}

export function totalsOf(counts: Counts[]): Totals {
  const totals: Totals = { accepted: 0, sent: 0, delivered: 0, read: 0, failed: 0 };
  for (const { sent, delivered, read, failed, refused } of counts) {
    totals.accepted += sent + refused;
    totals.sent += sent;
    totals.delivered += delivered;
    totals.read += read;
    totals.failed += failed + refused;
  }
  return totals;
}

export const periodTotals = ({ bars }: MessageCounts) => totalsOf(bars.flatMap(({ counts }) => counts));

const HOUR = 60;
const DAY = 24 * HOUR;

/** The length of a bar: `hour`, `3 hours`, `day`. */
export function barLength({ bar_minutes }: MessageCounts): string {
  if (bar_minutes === DAY) return 'day';
  if (bar_minutes === HOUR) return 'hour';
  return bar_minutes < HOUR ? `${bar_minutes} minutes` : `${bar_minutes / HOUR} hours`;
}

/** The time of a bar in the business's zone, and the mark below the first bar of a day, or below every sixth hour of a single day. */
export function barNames({ bars, bar_minutes, timezone }: MessageCounts): { name: string; mark: string | undefined }[] {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en', { timeZone: timezone, hourCycle: 'h23', ...options });
  const [day, time, weekday] = [
    format({ month: 'short', day: 'numeric' }),
    format({ hour: '2-digit', minute: '2-digit' }),
    format({ weekday: 'short' }),
  ];
  const isLong = bars.length * bar_minutes > 2 * DAY;
  const every = Math.ceil(bars.length / 5);
  return bars.map(({ at }, i) => {
    const date = new Date(at);
    if (bar_minutes === DAY)
      return { name: `${weekday.format(date)}, ${day.format(date)}`, mark: i % every === 0 ? day.format(date) : undefined };
    const clock = time.format(date);
    const name = `${weekday.format(date)}, ${day.format(date)}, ${clock}`;
    if (isLong) return { name, mark: clock === '00:00' ? weekday.format(date) : undefined };
    return { name, mark: i % 6 === 0 ? clock : undefined };
  });
}
