import { PlatformStatus, type Billing, type EventEnvelope } from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import type { CallbackStatus } from '@mgw/platform-api';
import { platformTime } from './platform-time';

/** A delivery status (platform §4.5). @throws Error if the status is invalid */
export function statusEvent(businessId: number, phoneNumberId: string, status: CallbackStatus): EventEnvelope<typeof PlatformStatus> {
  const at = platformTime(status.timestamp);
  const pricing = pricingOf(status);
  return newEvent(PlatformStatus, {
    id: `platform.status:${businessId}:${status.id}:${status.status}:${status.timestamp}`,
    at,
    business_id: businessId,
    key: `message:${status.id}`,
    data: {
      message_id: status.id,
      phone_number_id: phoneNumberId,
      status: status.status,
      occurred_at: at,
      recipient: status.recipient_id || status.recipient_user_id || null,
      callback_data: status.biz_opaque_callback_data || null,
      error: errorOf(status),
      ...(pricing && { pricing }),
    },
  });
}

/** The platform's codes have up to seven digits; the database column holds an integer. */
function isCode(code: unknown): code is number {
  return Number.isInteger(code) && Math.abs(code as number) < 2 ** 31;
}

/** Words that this version does not know stay as they are. Without `billable`, which WhatsApp is to remove, the type decides. */
function pricingOf({ pricing }: CallbackStatus): Billing | null {
  if (typeof pricing !== 'object' || pricing === null || Array.isArray(pricing)) return null;
  const { billable, category, type = 'regular' } = pricing as Record<string, unknown>;
  const known = wordOf(type);
  return { billable: typeof billable === 'boolean' ? billable : !known.startsWith('free'), category: wordOf(category), type: known };
}

function wordOf(value: unknown): string {
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  return /^[a-z0-9_-]{1,40}$/.test(word) ? word : 'unknown';
}

function errorOf({ errors }: CallbackStatus): { code: number | null; text: string } | null {
  const first = Array.isArray(errors) ? errors[0] : undefined;
  if (!first) return null;
  const text = first.error_data?.details || first.title || first.message || '';
  return { code: isCode(first.code) ? first.code : null, text };
}
