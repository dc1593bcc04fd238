const TIME = { hour: 'numeric', minute: '2-digit' } as const;
const DAY_AND_MONTH = { month: 'short', day: 'numeric' } as const;

const formats = new Map<string, Intl.DateTimeFormat>();
/** Formats a moment. A thread shows thousands of times, and a new formatter takes much longer than its use. */
function format(at: string, timeZone: string, options: Intl.DateTimeFormatOptions, locale: string[] = []): string {
  const key = JSON.stringify([locale, timeZone, options]);
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone });
  formats.set(key, known);
  return known.format(new Date(at));
}

/** The time of a message. */
export const timeOfDay = (at: string, timeZone: string): string => format(at, timeZone, TIME);

/** The time, with the date if it is not from today. */
export const clockTime = (at: string, timeZone: string): string =>
  format(at, timeZone, dayIn(timeZone, at) === today(timeZone) ? TIME : { ...DAY_AND_MONTH, ...TIME });

/** A calendar day in words. @param day `2026-11-22` */
export function dateShown(day: string): string {
  return new Date(day).toLocaleDateString([], { dateStyle: 'medium', timeZone: 'UTC' });
}

/** The date of a moment. */
export const momentDate = (at: string, timeZone: string): string => format(at, timeZone, { dateStyle: 'medium' });

/** Date and time of a moment to the second. */
export const exactTime = (at: string, timeZone: string): string => format(at, timeZone, { dateStyle: 'medium', timeStyle: 'medium' });

/** The time of day to the second. */
export const clockSeconds = (at: string, timeZone: string): string => format(at, timeZone, { timeStyle: 'medium' });

/** The calendar day of a moment, as the API takes it: `2026-11-22`. */
export const dayIn = (timeZone: string, at: string): string => format(at, timeZone, {}, ['en-CA']);

const today = (timeZone: string): string => dayIn(timeZone, new Date().toISOString());

/** @param month `2026-11` */
function monthShown(month: string): string {
  return new Date(month).toLocaleDateString([], { month: 'long', year: 'numeric', timeZone: 'UTC' });
}

/** A month by its name if the days are all of it, else the days: `Nov 1 – 26, 2026`. @param from `2026-11-01`, of the month of `to` */
export function monthPartShown(from: string, to: string): string {
  const [first, last] = [new Date(from), new Date(to)];
  const isWhole = first.getUTCDate() === 1 && new Date(last.getTime() + DAY_MS).getUTCDate() === 1;
  return isWhole ? monthShown(from.slice(0, 'YYYY-MM'.length)) : daysShown(from, to);
}

/** Calendar days in words. @param from `2026-11-22` */
export function daysShown(from: string, to: string): string {
  return new Intl.DateTimeFormat([], { dateStyle: 'medium', timeZone: 'UTC' }).formatRange(new Date(from), new Date(to));
}

const DAY_MS = 86_400_000;

/** `Today`, `Yesterday`, or the date; with the year if it is another one. */
export function dayOf(at: string, timeZone: string): string {
  const [day, now] = [dayIn(timeZone, at), today(timeZone)];
  if (day === now) return 'Today';
  if (Date.parse(day) === Date.parse(now) - DAY_MS) return 'Yesterday';
  const isThisYear = day.slice(0, 'YYYY'.length) === now.slice(0, 'YYYY'.length);
  return format(at, timeZone, { ...DAY_AND_MONTH, ...(!isThisYear && { year: 'numeric' }) });
}

/** The day, or the time of a moment of today. */
export const dayOrTime = (at: string, timeZone: string): string => {
  const day = dayOf(at, timeZone);
  return day === 'Today' ? timeOfDay(at, timeZone) : day;
};
