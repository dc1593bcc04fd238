export { isMarket, marketName, marketOf } from './market';

/** A business-scoped user id of the platform (platform §4.7): country, optional `ENT`, up to 128 letters and digits. */
const BUSINESS_SCOPED_ID = /^[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}$/;

type NormalizedPhone = { ok: true; value: string } | { ok: false; reason: string };

/** A phone number as the platform writes it, its `wa_id`: digits with the country code. */
export function isWaId(value: string): boolean {
  return /^\d{4,20}$/.test(value);
}

export function isBusinessScopedId(value: string): boolean {
  return BUSINESS_SCOPED_ID.test(value);
}

/** @returns the text if it is a `wa_id`, otherwise null */
export function waIdOf(value: unknown): string | null {
  return typeof value === 'string' && isWaId(value) ? value : null;
}

/** @returns the text if it is a business-scoped user id, otherwise null */
export function userIdOf(value: unknown): string | null {
  return typeof value === 'string' && isBusinessScopedId(value) ? value : null;
}

/**
 * Normalizes the `phone` input of the send endpoints to digits with country code (spec §2.1, decision 8). A business-scoped user id stays
 * as it is. The reason of a refusal is a sentence for the caller.
 */
export function normalizePhone(input: string): NormalizedPhone {
  if (isBusinessScopedId(input)) return { ok: true, value: input };
  const digits = input.replace(/[ \-()+]/g, '');
  if (!/^[0-9]*$/.test(digits)) return { ok: false, reason: 'must hold only digits, spaces, hyphens, parentheses and +' };
  if (digits.startsWith('0')) return { ok: false, reason: 'must not start with 0: write the country code' };
  if (digits.length < 7 || digits.length > 15) return { ok: false, reason: 'must have 7 to 15 digits: write the country code' };
  // A + before the first digit means that the number has a country code: (+65) 8134 0984 is Singapore, not India.
  const isIndian = /^[6-9]\d{9}$/.test(digits) && !/^[ ()-]*\+/.test(input);
  return { ok: true, value: isIndian ? `91${digits}` : digits };
}
