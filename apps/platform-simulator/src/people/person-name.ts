/** A business-scoped user id. */
export const USER_ID = /^[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}$/;

/** A phone number as digits, without the punctuation that people type, or a business-scoped user id; null for other texts. */
export function personName(text: string): string | null {
  const digits = text.replace(/[\s()+.-]/g, '');
  if (/^\d{5,17}$/.test(digits)) return digits;
  return USER_ID.test(text) ? text : null;
}
