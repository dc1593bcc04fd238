import type { Totals } from '../../api/message-counts';

const signed = (value: number, digits: number) =>
  new Intl.NumberFormat('en', { maximumFractionDigits: digits, signDisplay: 'exceptZero' }).format(value);
const share = (part: number, whole: number) => (whole === 0 ? null : (part / whole) * 100);

/** How a count changed, in percent; null without a count before. */
export function countChange(now: number, before: number): { text: string; isGood: boolean } | null {
  if (before === 0) return null;
  const percent = ((now - before) / before) * 100;
  return { text: `${signed(percent, 0)} %`, isGood: percent >= 0 };
}

/** How a rate changed, in points; null if it did not, or either period has no messages. */
export function rateChange(
  part: 'delivered' | 'failed',
  whole: 'sent' | 'accepted',
  now: Totals,
  before: Totals,
): { text: string; isGood: boolean } | null {
  const [to, from] = [share(now[part], now[whole]), share(before[part], before[whole])];
  if (to === null || from === null) return null;
  const points = Math.round((to - from) * 10) / 10;
  return points === 0 ? null : { text: signed(points, 1), isGood: part === 'failed' ? points < 0 : points > 0 };
}
