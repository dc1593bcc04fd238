/** The typed text as the terms that the indexes hold for names and numbers. */
export interface SearchTerms {
  /** Without spaces around it, and with one between words. */
  text: string;
  /** The digits of a phone number without leading zeros; null for what is not written like one. */
  digits: string | null;
  /** The beginning of a name's word: the last word that was typed. */
  beginning: string;
  /** The first word that was typed, when others follow it: a whole word of a name. */
  whole: string | null;
}

const NUMBER = /^[\d\s+().-]*\d[\d\s+().-]*$/;

export function searchTerms(search: string): SearchTerms {
  const words = search.trim().split(/\s+/);
  const digits = NUMBER.test(search) ? search.replace(/\D/g, '').replace(/^0+/, '') : '';
  return {
    text: words.join(' '),
    digits: digits === '' ? null : digits,
    beginning: words.at(-1) ?? '',
    whole: words.length > 1 ? (words[0] ?? null) : null,
  };
}
