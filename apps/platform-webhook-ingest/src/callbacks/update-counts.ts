import { counter } from '@mgw/telemetry';
import type { Updates } from './stored-callback';

const counted = counter('mgw_platform_updates_total', 'Updates in callbacks of the platform, by outcome', ['outcome']);

export function recordUpdates({ events, invalid, ignored }: Updates): void {
  counted.inc({ outcome: 'event' }, events.length);
  counted.inc({ outcome: 'dead' }, invalid.length);
  counted.inc({ outcome: 'unknown_number' }, ignored.unknown_number);
  counted.inc({ outcome: 'group' }, ignored.group);
}
