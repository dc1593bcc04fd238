import { createHash } from 'node:crypto';
import { PlatformAccountUpdate, PlatformTemplateUpdate, type EventEnvelope } from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import type { CallbackChange } from '@mgw/platform-api';

/** The entry that a change comes in; `time` is seconds since 1970. */
interface Entry {
  accountId: string;
  time: number | undefined;
}

/** A ban, a restriction or the end of one (platform §4.6). */
export function accountEvent(businessId: number, entry: Entry, change: CallbackChange): EventEnvelope<typeof PlatformAccountUpdate> {
  return newEvent(PlatformAccountUpdate, {
    id: `platform.account:${businessId}:${hashOf(entry, change)}`,
    at: new Date().toISOString(),
    business_id: businessId,
    key: `account:${businessId}`,
    data: { business_account_id: entry.accountId, event: String(change.value?.['event'] ?? ''), raw: { ...change.value } },
  });
}

/** A change of a template (platform §4.6). */
export function templateEvent(businessId: number, entry: Entry, change: CallbackChange): EventEnvelope<typeof PlatformTemplateUpdate> {
  return newEvent(PlatformTemplateUpdate, {
    id: `platform.template:${businessId}:${hashOf(entry, change)}`,
    at: new Date().toISOString(),
    business_id: businessId,
    key: `templates:${businessId}`,
    data: { business_account_id: entry.accountId, field: change.field, raw: { ...change.value } },
  });
}

/** These changes carry no id: the same change at the same time is the same event (decision 133). */
function hashOf({ time }: Entry, change: CallbackChange): string {
  return createHash('sha256')
    .update(JSON.stringify([time ?? null, change]))
    .digest('base64url');
}
