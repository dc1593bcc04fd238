/** The search text as terms of the indexes for names and numbers. */
export interface SearchTerms {
  /** The trimmed text with single spaces. */
  text: string;
  /** Digits without leading zeros; null if the text does not look like a phone number. */
  digits: string | null;
  /** The last word of the text, matched as the beginning of a word. */
  beginning: string;
  /** The first of several words, matched as a whole word; null for a single word. */
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
