/** The value of a `datetime-local` input, `YYYY-MM-DDTHH:mm`, in the browser's time zone; the minute in which an ISO time lies. */
export function localDatetime(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The ISO time of such a value; null without a valid time, such as while a person types a year of five digits. */
export function isoOf(local: string): string | null {
  const at = Date.parse(local);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
