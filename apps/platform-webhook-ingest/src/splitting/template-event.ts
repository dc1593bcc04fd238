import { createHash } from 'node:crypto';
import { PlatformTemplateUpdate, type EventEnvelope } from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import type { WebhookChange } from '@mgw/platform-api';

/** A change of a template (platform §4.6). It carries no id of its own: the same change at the same time is the same event. */
export function templateEvent(
  businessId: number,
  { accountId, time }: { accountId: string; time: number | undefined },
  change: WebhookChange,
): EventEnvelope<typeof PlatformTemplateUpdate> {
  const hash = createHash('sha256')
    .update(JSON.stringify([time ?? null, change]))
    .digest('base64url');
  return newEvent(PlatformTemplateUpdate, {
    id: `platform.template:${businessId}:${hash}`,
    at: new Date().toISOString(),
    business_id: businessId,
    key: `templates:${businessId}`,
    data: { business_account_id: accountId, field: change.field, raw: { ...change.value } },
  });
}
