import { ruleFor, UNKNOWN_REFUSED } from './error-table';

/** The `failure_reason` of a message (decision 26): `<code>: <text>. <what to do>`. */
export function failureReason(error: { code: number | null; text: string } | null): string {
  const text = (error?.text ?? '').trim().replace(/\.+$/, '') || 'The platform reported a failure without details';
  if (error?.code === null || error?.code === undefined) return `${text}.`;
  const hint = ruleFor(error.code, null)?.hint;
  return `${error.code}: ${text}.${hint ? ` ${hint}` : ''}`;
}

/** The meaning of a code in a sentence without its full stop, and what to do. */
export function failureHelp(code: number): { text: string; hint: string | null } {
  const { text, hint } = ruleFor(code, null) ?? UNKNOWN_REFUSED;
  return { text, hint };
}
