import { testBehaviour } from '../profile/behaviours';

/** A business-scoped user id. */
export const USER_ID = /^[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}$/;

/** A phone number as digits, without the punctuation that people type, or a business-scoped user id; null for other texts. */
export function personName(text: string): string | null {
  const digits = text.replace(/[\s()+.-]/g, '');
  if (/^\d{5,17}$/.test(digits)) return digits;
  return USER_ID.test(text) ? text : null;
}

/** The constant business-scoped user id of a phone. */
export function userIdOf(phone: string): string {
  return `US.9${phone.padStart(18, '0')}`;
}

/** @returns undefined for a user id that `userIdOf` did not make */
export function phoneOfUserId(userId: string): string | undefined {
  return /^US\.9(?=\d{18}$)0*(\d{5,17})$/.exec(userId)?.[1];
}

/** The wa_id of a dialled number. */
export function waIdOf(phone: string): string {
  return testBehaviour(phone)?.otherWaId ? `${phone}9` : phone;
}

/** The dialled number of a wa_id. */
export function phoneOfWaId(waId: string): string {
  const phone = waId.slice(0, -1);
  return waIdOf(phone) === waId ? phone : waId;
}
