import { Type, type Static, type TObject } from '@sinclair/typebox';
import { IsoTime } from '@mgw/contracts';

/** Members of responses that show a business's time zone; those about a change are there only while one is under way. */
export const ZONES = {
  timezone: Type.String({ description: 'As it was set last.' }),
  timezone_now: Type.Optional(Type.String({ description: 'Until a new zone holds: the zone whose midnight resets the daily cap now.' })),
  timezone_from: Type.Optional(IsoTime),
  cap_resets_at: Type.Optional(IsoTime),
};
type ShownZones = Static<TObject<typeof ZONES>>;

/** A business's time zone, and the change of it that is under way (product decision 53). */
export interface Zones {
  /** IANA zone as it was set last. */
  timezone: string;
  /** The zone that holds until `timezone_from`; null when nothing was changed. */
  previous_timezone: string | null;
  timezone_from: Date | null;
  /** When the cap of the day of the change resets: not before the new zone has left that day too. */
  cap_resets_at: Date | null;
}

const isPending = ({ timezone_from }: Zones, now: Date): boolean => timezone_from !== null && timezone_from > now;

/** The zone whose midnight resets the daily cap. */
export function zoneInForce(zones: Zones, now = new Date()): string {
  return isPending(zones, now) ? (zones.previous_timezone ?? zones.timezone) : zones.timezone;
}

/** Seconds until the cap resets, while a change of zone is under way; null when the zone's own midnight resets it. */
export function secondsToReset(zones: Zones, now = new Date()): number | null {
  if (!isPending(zones, now) || zones.cap_resets_at === null) return null;
  return Math.max(1, Math.ceil((zones.cap_resets_at.getTime() - now.getTime()) / 1_000));
}

/** The members `ZONES` of a response. */
export function shownZones(zones: Zones, now = new Date()): ShownZones {
  const { timezone, timezone_from, cap_resets_at } = zones;
  if (!isPending(zones, now)) return { timezone };
  return {
    timezone,
    timezone_now: zoneInForce(zones, now),
    ...(timezone_from && { timezone_from: timezone_from.toISOString() }),
    ...(cap_resets_at && { cap_resets_at: cap_resets_at.toISOString() }),
  };
}
