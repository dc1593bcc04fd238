const HOUR_MS = 3_600_000;

/**
 * The moment of a local time, such as `2026-03-29T02:30`, in a zone. When clocks go back it is the first of the two.
 * @returns null when clocks go forward over that time, or for text that does not name a time
 */
export function momentOf(local: string, timezone: string): Date | null {
  const asUtc = Date.parse(`${local}Z`);
  if (Number.isNaN(asUtc)) return null;
  // No zone is further than a day from UTC, and none changes its clocks twice in two days.
  const offsets = [-24, 24].map((hours) => offsetAt(asUtc + hours * HOUR_MS, timezone));
  const moments = offsets.map((offset) => asUtc - offset).filter((moment) => moment + offsetAt(moment, timezone) === asUtc);
  return moments.length === 0 ? null : new Date(Math.min(...moments));
}

/** The error that the clocks of a zone skip a local time; null for every other text. */
export function skippedFault(local: string, timezone: string): string | null {
  const isTime = !Number.isNaN(Date.parse(`${local}Z`));
  return isTime && momentOf(local, timezone) === null ? `Clocks in ${timezone} skip this time. Choose another one.` : null;
}

/** Like `momentOf`, as an ISO time. */
export const isoOf = (local: string, timezone: string): string | null => momentOf(local, timezone)?.toISOString() ?? null;

/** The local time of a moment, as a field for times has it. */
export const localTime = (moment: number, timezone: string): string =>
  new Date(moment + offsetAt(moment, timezone)).toISOString().slice(0, 16);

/** Milliseconds that a zone's clocks are ahead of UTC. */
function offsetAt(moment: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    ...{ timeZone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  }).formatToParts(moment);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return local - Math.floor(moment / 1_000) * 1_000;
}
