import type { SendSettings } from '@mgw/contracts';

/** Words by which a person ends and resumes messages, unless the business has its own (product decision 45). */
export const STOP_WORDS = ['stop', 'stop all', 'stopall', 'unsubscribe', 'opt out', 'opt-out', 'optout'];
export const START_WORDS = ['start', 'unstop', 'subscribe', 'opt in', 'opt-in', 'optin'];

/** The whole text, trimmed, in any case. */
export function optWord(text: string | null, { stop_words, start_words }: SendSettings): 'stop' | 'start' | null {
  const said = fold(text ?? '');
  if (said === '') return null;
  if (stop_words.some((word) => fold(word) === said)) return 'stop';
  return start_words.some((word) => fold(word) === said) ? 'start' : null;
}

/** Without what keyboards and apps add unseen. Case is Turkish or not: upper case makes ı an I, lower case makes İ an i with a dot that goes. */
function fold(text: string): string {
  const cased = text.normalize('NFKC').toUpperCase().toLowerCase();
  return cased.replace(/[\p{Default_Ignorable_Code_Point}\u0307]/gu, '').trim();
}
