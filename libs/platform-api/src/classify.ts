import { ERRORS, matches, MessageId } from '@mgw/contracts';
import { userIdOf, waIdOf } from '@mgw/phone';
import { ruleFor, UNKNOWN_REFUSED, UNKNOWN_THROTTLED, UNKNOWN_UNAVAILABLE, type ErrorRule } from './error-table';
import type { ExchangeResult, ResponseHeaders } from './exchange';
import type { ReadOutcome, SendOutcome } from './outcome';
import type { Refusal } from './refusal';

/** Wait that the platform's headers request (platform §1.6), in seconds, or null. */
export function retryAfterSeconds(headers: ResponseHeaders): number | null {
  const header = headers['retry-after'];
  if (typeof header === 'string' && /^\d{1,6}$/.test(header)) return Number(header);
  const usage = headers['x-business-use-case-usage'];
  const minutes = typeof usage === 'string' ? minutesToRegainAccess(usage) : 0;
  return minutes > 0 ? minutes * 60 : null;
}

/** `{"<account>":[{"estimated_time_to_regain_access":<minutes>}]}`: the longest counts. */
function minutesToRegainAccess(usage: string): number {
  try {
    const entries = Object.values(JSON.parse(usage) as Record<string, { estimated_time_to_regain_access?: number }[]>).flat();
    return Math.max(0, ...entries.map((entry) => Number(entry?.estimated_time_to_regain_access) || 0));
  } catch {
    return 0;
  }
}

type Json = Record<string, unknown>;

/**
 * Decides the outcome of a send (guarantees §1, S2, decision 41): an id means accepted, a Graph error or a plain 4xx means refused,
 * anything else is unknown.
 */
export function sendOutcome(result: ExchangeResult): SendOutcome {
  if (result.kind === 'failed') return { kind: result.written ? 'unknown' : 'unreached', problem: result.problem };
  if (result.status >= 200 && result.status < 300) return acceptance(result.body);
  const refusal = refusalOf(result);
  return refusal ? { kind: 'refused', refusal } : { kind: 'unknown', problem: `HTTP ${result.status} without an error body` };
}

export function readOutcome<T>(result: ExchangeResult, hasShape: (body: Json) => boolean): ReadOutcome<T> {
  if (result.kind === 'failed') return { kind: 'unavailable', problem: result.problem };
  const isOk = result.status >= 200 && result.status < 300;
  if (isOk && isObject(result.body) && hasShape(result.body)) return { kind: 'ok', value: result.body as T };
  const refusal = isOk ? null : refusalOf(result);
  return refusal ? { kind: 'refused', refusal } : { kind: 'unavailable', problem: `HTTP ${result.status} that could not be understood` };
}

function acceptance(body: unknown): SendOutcome {
  const message = first(body, 'messages');
  const id = message?.['id'];
  if (!matches(MessageId, id)) return { kind: 'unknown', problem: 'a success without a valid message id' };
  const contact = first(body, 'contacts');
  return {
    kind: 'accepted',
    messageId: id,
    waId: waIdOf(contact?.['wa_id']),
    userId: userIdOf(contact?.['user_id']),
    messageStatus: textOrNull(message?.['message_status']),
  };
}

/** @returns null if the response does not prove a refusal */
function refusalOf({ status, headers, body }: Extract<ExchangeResult, { kind: 'response' }>): Refusal | null {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : null;
  const code = error && Number.isInteger(error['code']) ? (error['code'] as number) : null;
  if (code === null) {
    // A client error is a refusal, even from a proxy; 408 is a timeout.
    if (status < 400 || status >= 500 || status === 408) return null;
    return toRefusal(status === 429 ? UNKNOWN_THROTTLED : UNKNOWN_REFUSED, { code, details: '', headers, traceId: null });
  }
  const subcode = typeof error?.['error_subcode'] === 'number' ? error['error_subcode'] : null;
  const found = ruleFor(code, subcode) ?? unknownRule(status);
  // Code 1 means both "try again" and "unknown": only the former may be retried (platform §2).
  const isPermanent = code === 1 && status < 500 && error?.['is_transient'] !== true;
  const rule = isPermanent ? { ...found, retry: 'never' as const } : found;
  return toRefusal(rule, { code, details: detailsOf(error ?? {}), headers, traceId: textOrNull(error?.['fbtrace_id']) });
}

function unknownRule(status: number): ErrorRule {
  if (status === 429) return UNKNOWN_THROTTLED;
  return status >= 500 ? UNKNOWN_UNAVAILABLE : UNKNOWN_REFUSED;
}

function toRefusal(
  rule: ErrorRule,
  found: { code: number | null; details: string; headers: ResponseHeaders; traceId: string | null },
): Refusal {
  const details = rule.detailsHidden ? '' : found.details;
  return {
    errorCode: rule.errorCode,
    status: ERRORS[rule.errorCode].status,
    retry: rule.retry,
    platformCode: found.code,
    message: details ? `${rule.text}: ${details}` : `${rule.text}.`,
    hint: rule.hint,
    sideEffect: rule.sideEffect ?? null,
    retryAfterSeconds: rule.retry === 'never' ? null : (retryAfterSeconds(found.headers) ?? rule.retryAfterSeconds ?? null),
    traceId: found.traceId ?? textOrNull(found.headers['x-fb-trace-id']),
  };
}

/** The most specific text of an error, without anything that looks like an access token. */
function detailsOf(error: Json): string {
  const data = isObject(error['error_data']) ? error['error_data'] : {};
  const text = textOrNull(data['details']) ?? textOrNull(error['error_user_msg']) ?? textOrNull(error['message']) ?? '';
  return text.replace(/EAA[0-9A-Za-z]{8,}/g, '[hidden]').slice(0, 500);
}

function first(body: unknown, list: string): Json | undefined {
  const values = isObject(body) ? body[list] : undefined;
  const value: unknown = Array.isArray(values) ? values[0] : undefined;
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
