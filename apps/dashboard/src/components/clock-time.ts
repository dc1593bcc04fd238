/** The time of a message. */
export function timeOfDay(at: string): string {
  return new Date(at).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' });
}

/** The time, with the date if it is not from today. */
export function clockTime(at: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString([], { ...(!isToday && { month: 'short', day: 'numeric' }), hour: 'numeric', minute: '2-digit' });
}

/** A calendar day in words. @param day `2026-11-22` */
export function dateShown(day: string): string {
  return new Date(day).toLocaleDateString([], { dateStyle: 'medium', timeZone: 'UTC' });
}

/** The date of a moment, in the browser's zone. */
export function momentDate(at: string): string {
  return new Date(at).toLocaleDateString([], { dateStyle: 'medium' });
}

/** Date and time of a moment to the second, in the browser's zone. */
export function exactTime(at: string): string {
  return new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' });
}

/** @param month `2026-11` */
export function monthShown(month: string): string {
  return new Date(month).toLocaleDateString([], { month: 'long', year: 'numeric', timeZone: 'UTC' });
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
