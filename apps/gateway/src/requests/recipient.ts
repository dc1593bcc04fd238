import { normalizePhone } from '@mgw/phone';

/** @param phone a validated one */
export function recipientOf(phone: string): string {
  const normalized = normalizePhone(phone);
  if (!normalized.ok) throw new Error('the phone was not validated');
  return normalized.value;
}
