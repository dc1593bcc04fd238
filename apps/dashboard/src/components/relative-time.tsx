import { useZone } from '../api/use-zone';
import { useNow } from './clock';
import { exactTime, momentDate } from './clock-time';

const MINUTE_MS = 60_000;
const STEPS: [number, Intl.RelativeTimeFormatUnit][] = [
  [60, 'second'],
  [3_600, 'minute'],
  [86_400, 'hour'],
  [30 * 86_400, 'day'],
];

function relative(at: string, zone: string): string {
  const seconds = Math.round((new Date(at).getTime() - Date.now()) / 1_000);
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  let divisor = 1;
  for (const [limit, unit] of STEPS) {
    if (Math.abs(seconds) < limit) return format.format(Math.round(seconds / divisor), unit);
    divisor = limit;
  }
  return momentDate(at, zone);
}

/**
 * The time relative to now; hovering shows the exact time and its zone. A tooltip component in each row would slow the scrolling of a long list.
 * @param never the text that replaces a missing time
 */
export function RelativeTime({ at, never = 'never' }: { at: string | null; never?: string }) {
  // Seconds that stand still differ between two places that show one time.
  const isInSeconds = at !== null && Math.abs(new Date(at).getTime() - Date.now()) < MINUTE_MS;
  useNow(isInSeconds ? 1_000 : undefined);
  const zone = useZone();
  if (at === null) return <span>{never}</span>;
  return (
    <time dateTime={at} title={`${exactTime(at, zone)}, ${zone}`}>
      {relative(at, zone)}
    </time>
  );
}
