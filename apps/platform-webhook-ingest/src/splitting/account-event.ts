import { createHash } from 'node:crypto';
import { PlatformAccountUpdate, type EventEnvelope } from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import type { WebhookChange } from '@mgw/platform-api';

/** A ban, a restriction or the end of one (platform §4.6). It carries no id: the same change at the same time is the same event. */
export function accountEvent(
  businessId: number,
  { accountId, time }: { accountId: string; time: number | undefined },
  change: WebhookChange,
): EventEnvelope<typeof PlatformAccountUpdate> {
  const hash = createHash('sha256')
    .update(JSON.stringify([time ?? null, change]))
    .digest('base64url');
  return newEvent(PlatformAccountUpdate, {
    id: `platform.account:${businessId}:${hash}`,
    at: new Date().toISOString(),
    business_id: businessId,
    key: `account:${businessId}`,
    data: { business_account_id: accountId, event: String(change.value?.['event'] ?? ''), raw: { ...change.value } },
  });
}
