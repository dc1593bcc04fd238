import { useZone } from '../../api/use-zone';

/** The start of a scheduled broadcast, in the zone of the business. */
export function StartsAt({ at }: { at: string }) {
  const timeZone = useZone();
  return `starts ${new Date(at).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short', timeZone })} (${timeZone})`;
}
