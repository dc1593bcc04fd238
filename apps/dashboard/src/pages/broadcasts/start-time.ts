import { momentOf, skippedFault } from '../../components/local-time';

/** The fault of a start at a local time; null for one that may be, and for a start at once. */
export function startFault(local: string | null, timezone: string): string | null {
  if (local === null) return null;
  if (Number.isNaN(Date.parse(`${local}Z`))) return 'Choose a date and a time, or switch off “Send later”.';
  const moment = momentOf(local, timezone);
  if (moment === null) return skippedFault(local, timezone);
  return moment.getTime() < Date.now() ? 'This time has passed. Choose a later one.' : null;
}
