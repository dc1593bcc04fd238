import type { GatewayError, PauseCause } from '@mgw/contracts';
import { anyRecipientFails, failureHelp } from '@mgw/platform-api';
import type { Tx } from '@mgw/postgres';

/** Errors of the gateway's own checks that any recipient would get. The platform's have a code of their own in the error table. */
const ANY_RECIPIENT = new Set(['INVALID_API_KEY', 'PLAN_NOT_ALLOWED', 'NOT_CONNECTED', 'TEMPLATE_NOT_FOUND']);

/** @returns null for an error that other recipients need not get */
export function causeOf({ error_code, message, extras }: GatewayError): PauseCause | null {
  const { platform_code: code, hint } = extras;
  if (!ANY_RECIPIENT.has(error_code) && !(typeof code === 'number' && anyRecipientFails(code))) return null;
  return { error_code, message, hint: typeof hint === 'string' ? hint : null };
}

/** @returns null for a failure report that other recipients need not get */
export function causeOfReport(code: number | null | undefined): PauseCause | null {
  if (typeof code !== 'number' || !anyRecipientFails(code)) return null;
  const { text, hint } = failureHelp(code);
  return { error_code: 'PLATFORM_REFUSED', message: `${code}: ${text}.`, hint };
}

/** Pauses running broadcasts, each with its cause. The caller's transaction holds their locks, or those of their recipients. */
export async function pauseWithCause(tx: Tx, causes: Map<string, PauseCause>): Promise<void> {
  if (causes.size === 0) return;
  await tx.query(
    `UPDATE broadcast.broadcasts b SET status = 'paused', pause_cause = n.cause
     FROM (SELECT id, cause::jsonb AS cause FROM unnest($1::bigint[], $2::text[]) AS c (id, cause) ORDER BY id) n
     WHERE b.id = n.id AND b.status = 'running'`,
    [[...causes.keys()], [...causes.values()].map((cause) => JSON.stringify(cause))],
  );
}
