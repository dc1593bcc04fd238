import type { MessageCounts } from '../../api/message-counts';
import { dayIn } from '../../components/clock-time';

const DAY_MINUTES = 1_440;

/** The period of some bars, as the address of the log has it: days of the business's zone, or moments of which the last is excluded. */
export function barBounds({ bars, bar_minutes, timezone, from, to }: MessageCounts, first: number, last: number) {
  const [begin, end] = [bars[first]?.at ?? from, bars[last]?.at ?? to];
  if (bar_minutes === DAY_MINUTES) return { from: dayIn(timezone, begin), to: dayIn(timezone, end) };
  // The first bar may begin before the period.
  return { from: begin > from ? begin : from, to: bars[last + 1]?.at ?? to };
}
