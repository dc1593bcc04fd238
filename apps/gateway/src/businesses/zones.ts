import { Type, type Static, type TObject } from '@sinclair/typebox';
import { IsoTime } from '@mgw/contracts';

/** A business's time zone in responses. The optional members are present only while a change is pending. */
export const ZONE_FIELDS = {
  timezone: Type.String({ description: 'The zone that was set last.' }),
  timezone_now: Type.Optional(
    Type.String({ description: 'While a change is pending: the zone whose midnight currently resets the daily cap.' }),
  ),
  timezone_from: Type.Optional(IsoTime),
  cap_resets_at: Type.Optional(IsoTime),
};
type ZoneFields = Static<TObject<typeof ZONE_FIELDS>>;

/** A business's time zone and its pending change (decision 53). */
export interface Zones {
  /** The IANA zone that was set last. */
  timezone: string;
  /** The zone in force until `timezone_from`; null when it never changed. */
  previous_timezone: string | null;
  timezone_from: Date | null;
  /** The reset of the cap on the day of the change: when that date has ended in the new zone too. */
  cap_resets_at: Date | null;
}

const isPending = ({ timezone_from }: Zones, now: Date): boolean => timezone_from !== null && timezone_from > now;

/** The zone whose midnight resets the daily cap. */
export function zoneInForce(zones: Zones, now = new Date()): string {
  return isPending(zones, now) ? (zones.previous_timezone ?? zones.timezone) : zones.timezone;
}

/** `YYYY-MM-DD` in the zone. */
export const dayOf = (at: Date, timezone: string): string => new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(at);

/** Seconds until the cap resets while a change is pending; null when the zone's own midnight resets it. */
export function secondsToReset(zones: Zones, now = new Date()): number | null {
  if (!isPending(zones, now) || zones.cap_resets_at === null) return null;
  return Math.max(1, Math.ceil((zones.cap_resets_at.getTime() - now.getTime()) / 1_000));
}

/** The response members that `ZONE_FIELDS` describes. */
export function zoneFields(zones: Zones, now = new Date()): ZoneFields {
  const { timezone, timezone_from, cap_resets_at } = zones;
  if (!isPending(zones, now)) return { timezone };
  return {
    timezone,
    timezone_now: zoneInForce(zones, now),
    ...(timezone_from && { timezone_from: timezone_from.toISOString() }),
    ...(cap_resets_at && { cap_resets_at: cap_resets_at.toISOString() }),
  };
}
