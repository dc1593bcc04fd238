import type { SendSettings } from '@mgw/contracts';

/** Default words that opt a person out and in; a business may set its own (decision 45). */
export const STOP_WORDS = ['stop', 'stop all', 'stopall', 'unsubscribe', 'opt out', 'opt-out', 'optout'];
export const START_WORDS = ['start', 'unstop', 'subscribe', 'opt in', 'opt-in', 'optin'];

/** A word in a message that opts its sender out or in. */
export type OptWord = 'stop' | 'start';

/** Compares the whole text, trimmed and case-insensitive. */
export function optWord(text: string | null, { stop_words, start_words }: SendSettings): OptWord | null {
  const folded = fold(text ?? '');
  if (folded === '') return null;
  if (stop_words.some((word) => fold(word) === folded)) return 'stop';
  return start_words.some((word) => fold(word) === folded) ? 'start' : null;
}

/**
 * Removes invisible characters and folds case, also Turkish: toUpperCase turns ı into I, and toLowerCase turns İ into i with a combining
 * dot, which is removed.
 */
function fold(text: string): string {
  const cased = text.normalize('NFKC').toUpperCase().toLowerCase();
  return cased.replace(/[\p{Default_Ignorable_Code_Point}\u0307]/gu, '').trim();
}
