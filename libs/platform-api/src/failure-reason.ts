import { ruleFor } from './error-table';

/** The `failure_reason` of a message (decision 26): `<code>: <text>. <what to do>`. */
export function failureReason(error: { code: number | null; text: string } | null): string {
  const text = (error?.text ?? '').trim().replace(/\.+$/, '') || 'The platform reported a failure without details';
  if (error?.code === null || error?.code === undefined) return `${text}.`;
  const hint = ruleFor(error.code, null)?.hint;
  return `${error.code}: ${text}.${hint ? ` ${hint}` : ''}`;
}
