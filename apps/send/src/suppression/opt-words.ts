import type { SendSettings } from '@mgw/contracts';

/** Words by which a person ends and resumes messages, unless the business has its own (product decision 45). */
export const STOP_WORDS = ['stop', 'stop all', 'stopall', 'unsubscribe', 'opt out', 'opt-out', 'optout'];
export const START_WORDS = ['start', 'unstop', 'subscribe', 'opt in', 'opt-in', 'optin'];

/** The whole text, trimmed, in any case. */
export function optWord(text: string | null, { stop_words, start_words }: SendSettings): 'stop' | 'start' | null {
  const said = folded(text ?? '');
  if (stop_words.some((word) => folded(word) === said)) return 'stop';
  return start_words.some((word) => folded(word) === said) ? 'start' : null;
}

function folded(text: string): string {
  return text.trim().toLowerCase();
}
