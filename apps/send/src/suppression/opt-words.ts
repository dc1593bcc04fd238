/** Words by which a person ends and resumes messages: the whole text, trimmed, any case (product decision 45). */
const STOP_WORDS = new Set(['stop', 'stop all', 'stopall', 'unsubscribe', 'opt out', 'opt-out', 'optout']);
const START_WORDS = new Set(['start', 'unstop', 'subscribe', 'opt in', 'opt-in', 'optin']);

export function optWord(text: string | null): 'stop' | 'start' | null {
  const word = (text ?? '').trim().toLowerCase();
  if (STOP_WORDS.has(word)) return 'stop';
  return START_WORDS.has(word) ? 'start' : null;
}
