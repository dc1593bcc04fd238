/** The time of a message. */
export function timeOfDay(at: string): string {
  return new Date(at).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' });
}

/** The time, with the date if it is not from today. @param timeZone the browser's by default */
export function clockTime(at: string, timeZone?: string): string {
  const date = new Date(at);
  const day = (one: Date) => one.toLocaleDateString([], { timeZone });
  const isToday = day(date) === day(new Date());
  return date.toLocaleString([], { ...(!isToday && { month: 'short', day: 'numeric' }), hour: 'numeric', minute: '2-digit', timeZone });
}

/** A calendar day in words. @param day `2026-11-22` */
export function dateShown(day: string): string {
  return new Date(day).toLocaleDateString([], { dateStyle: 'medium', timeZone: 'UTC' });
}

/** The date of a moment. @param timeZone the browser's by default */
export function momentDate(at: string, timeZone?: string): string {
  return new Date(at).toLocaleDateString([], { dateStyle: 'medium', timeZone });
}

/** Date and time of a moment to the second. @param timeZone the browser's by default */
export function exactTime(at: string, timeZone?: string): string {
  return new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium', timeZone });
}

/** The time of day to the second, in a zone. */
export function clockSeconds(at: string, timeZone: string): string {
  return new Date(at).toLocaleTimeString([], { timeStyle: 'medium', timeZone });
}

/** The calendar day of a moment in a zone, as the API takes it: `2026-11-22`. */
export function dayIn(timeZone: string, at: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date(at));
}

/** @param month `2026-11` */
export function monthShown(month: string): string {
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
export function dayOf(at: string): string {
  const date = new Date(at);
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return 'Today';
  if (date.toDateString() === new Date(now.getTime() - DAY_MS).toDateString()) return 'Yesterday';
  return date.toLocaleDateString([], {
    month: 'short',
    day: 'numeric',
    ...(date.getFullYear() !== now.getFullYear() && { year: 'numeric' }),
  });
}
