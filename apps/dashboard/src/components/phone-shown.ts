let spaced = (dialled: string) => dialled;
let countryOf = (_dialled: string): string | undefined => undefined;

/** Loads the countries' ways of writing numbers, which are too large for the code of the first page. */
export async function loadPhoneFormats(): Promise<void> {
  const { formatIncompletePhoneNumber, parsePhoneNumberFromString } = await import('libphonenumber-js/min');
  spaced = (dialled) => formatIncompletePhoneNumber(dialled);
  const names = new Intl.DisplayNames('en', { type: 'region' });
  countryOf = (dialled) => {
    const country = parsePhoneNumberFromString(dialled)?.country;
    return country && names.of(country);
  };
}

/** A number as people write it, such as +91 98765 43210; a business-scoped user id as it is. */
export function phoneShown(phone: string): string {
  return /^\+?\d+$/.test(phone) ? spaced(phoneDialled(phone)) : phone;
}

/** A number as programs take it, such as +919876543210, for copies and requests. */
export function phoneDialled(phone: string): string {
  return /^\d+$/.test(phone) ? `+${phone}` : phone;
}

/** A typed number as the gateway understands it (decision 8), such as +20 15 550101 (Egypt). Null if the gateway refuses it. */
export function phoneUnderstood(typed: string): string | null {
  const digits = digitsOf(typed);
  if (!/^[1-9]\d{6,14}$/.test(digits)) return null;
  const dialled = `+${isIndian(typed) ? '91' : ''}${digits}`;
  const country = countryOf(dialled);
  return country ? `${spaced(dialled)} (${country})` : spaced(dialled);
}

export const digitsOf = (typed: string): string => typed.replaceAll(/[ \-()+]/g, '');

/** Whether a typed number gets +91 (decision 8). */
export const isIndian = (typed: string): boolean => /^[6-9]\d{9}$/.test(digitsOf(typed)) && !/^[ ()-]*\+/.test(typed);
