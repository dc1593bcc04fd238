import { createHash } from 'node:crypto';
import { PlatformTemplateUpdate, type EventEnvelope } from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import type { WebhookChange } from '@mgw/platform-api';

/** A change of a template (platform §4.6). It carries no id of its own: the same change twice is the same event. */
export function templateEvent(
  businessId: number,
  businessAccountId: string,
  change: WebhookChange,
): EventEnvelope<typeof PlatformTemplateUpdate> {
  const hash = createHash('sha256').update(JSON.stringify(change)).digest('base64url');
  return newEvent(PlatformTemplateUpdate, {
    id: `platform.template:${businessId}:${hash}`,
    at: new Date().toISOString(),
    business_id: businessId,
    key: `templates:${businessId}`,
    data: { business_account_id: businessAccountId, field: change.field, raw: { ...change.value } },
  });
}
