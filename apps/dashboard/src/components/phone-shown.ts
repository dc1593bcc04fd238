let spaced = (dialled: string) => dialled;

/** Loads the countries' ways of writing numbers, which are too large for the code of the first page. */
export async function loadPhoneFormats(): Promise<void> {
  const { formatIncompletePhoneNumber } = await import('libphonenumber-js/min');
  spaced = (dialled) => formatIncompletePhoneNumber(dialled);
}

/** A number as people write it, such as +91 98765 43210; a business-scoped user id as it is. */
export function phoneShown(phone: string): string {
  return /^\+?\d+$/.test(phone) ? spaced(phoneDialled(phone)) : phone;
}

/** A number as programs take it, such as +919876543210, for copies and requests. */
export function phoneDialled(phone: string): string {
  return /^\d+$/.test(phone) ? `+${phone}` : phone;
}
