import { Type, type TProperties, type TSchema } from '@sinclair/typebox';
import type { ErrorCode } from '@mgw/contracts';
import { Id, IsoTime, Nullable } from '@mgw/contracts';
import { ERROR_TEXTS } from './error-texts';

const hint = Type.Optional(Type.String({ description: 'What to do about it.' }));
/** Present once the send has an intent; the status endpoint finds it (decision 23a). */
const message_id = Type.Optional(
  Type.String({ description: 'gw_…: the failed or unresolved send, for GET /message-status/{message_id}.' }),
);
const platform_code = Type.Optional(Type.Integer({ description: 'The messaging platform’s own error code.' }));
const retry_after_seconds = Type.Optional(Type.Integer({ minimum: 1 }));
const refusedSend = { hint, message_id, platform_code, retry_after_seconds };

/** Members in addition to `success`, `error` and `error_code` (spec §7, decision 2). */
const EXTRAS: Partial<Record<ErrorCode, TProperties>> = {
  VALIDATION_FAILED: {
    details: Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
      description: 'Field by field; empty when the error is about the request as a whole.',
    }),
  },
  ACCOUNT_REQUIRED: {
    accounts: Type.Array(
      Type.Object({
        user_id: Id,
        business: Nullable(Type.String({ description: 'Null for an operator of the gateway.' })),
        role: Type.String({ description: 'owner, manager, agent or operator' }),
      }),
    ),
  },
  NOT_CONNECTED: refusedSend,
  WINDOW_CLOSED: {
    ...refusedSend,
    session_window: Type.Object({ open: Type.Literal(false), last_inbound_at: Nullable(IsoTime) }),
    hint: Type.String({ description: 'Names the template alternative.' }),
  },
  RECIPIENT_SUPPRESSED: {
    ...refusedSend,
    suppression_state: Type.Union(['opted_out', 'blocked', 'opted_out_marketing'].map((state) => Type.Literal(state))),
  },
  TEMPLATE_NOT_FOUND: { ...refusedSend, available_languages: Type.Optional(Type.Array(Type.String())) },
  TEMPLATE_PARAMS_MISMATCH: {
    ...refusedSend,
    component: Type.Optional(Type.String({ description: 'body, header or buttons' })),
    expected: Type.Optional(Type.Integer()),
    given: Type.Optional(Type.Integer()),
  },
  PLATFORM_REFUSED: refusedSend,
  PLATFORM_THROTTLED: refusedSend,
  PLATFORM_UNAVAILABLE: { ...refusedSend, retryable: Type.Literal(true) },
  OUTCOME_UNKNOWN: {
    hint,
    message_id: Type.Optional(
      Type.String({
        description:
          'gw_…: the unresolved send, for GET /message-status/{message_id}. Absent after a change of a template or of the subscription: look at the list after its sync, or run the checks, before you repeat it.',
      }),
    ),
  },
  IDEMPOTENCY_IN_FLIGHT: { hint, retry_after_seconds },
  IDEMPOTENCY_MISMATCH: { hint },
  NOT_FOUND: { hint },
  MEDIA_EXPIRED: { hint },
  DAILY_LIMIT_REACHED: {
    daily_limit: Type.Integer(),
    daily_used: Type.Integer(),
    plan: Type.String(),
    retry_after: Type.Literal('midnight'),
  },
  BROADCAST_LIMIT_REACHED: { limit: Type.Integer(), used: Type.Integer(), resets_at: IsoTime },
  RATE_LIMITED: { retry_after_seconds: Type.Integer({ minimum: 1 }) },
  INTERNAL: { retryable: Type.Optional(Type.Boolean()) },
};

/** Whether the header `Retry-After` may come with an error. */
export const namesWait = (code: ErrorCode): boolean =>
  code === 'DAILY_LIMIT_REACHED' || code === 'BROADCAST_LIMIT_REACHED' || 'retry_after_seconds' in (EXTRAS[code] ?? {});

/** @param bare whether the body has no envelope: RATE_LIMITED of the REST API (spec §8) */
export function errorBody(code: ErrorCode, bare: boolean): TSchema & { examples: [object] } {
  const error = Type.String({ description: 'For people.' });
  const extras = EXTRAS[code] ?? {};
  const { example } = ERROR_TEXTS[code];
  const { error: sentence, ...members } = example;
  const body = bare ? { error, ...extras } : { success: Type.Literal(false), error, error_code: Type.Literal(code), ...extras };
  const shown = bare ? example : { success: false, error: sentence, error_code: code, ...members };
  return { ...Type.Object(body, { additionalProperties: false }), examples: [shown] };
}
