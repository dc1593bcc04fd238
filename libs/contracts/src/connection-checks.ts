import { Type, type Static } from '@sinclair/typebox';
import { Id, IsoTime, Nullable } from './fields';
import { operation } from './operation';

/** One line of the check list. `unknown` means that there is no result: the platform did not respond, or another check comes first. */
export const ConnectionCheck = Type.Object({
  name: Type.Union(
    (['token', 'permissions', 'number', 'app_secret', 'subscription', 'callback', 'received'] as const).map((name) => Type.Literal(name)),
  ),
  state: Type.Union((['ok', 'problem', 'unknown'] as const).map((state) => Type.Literal(state))),
  /** A sentence without its full stop; `at` continues it. */
  message: Type.String(),
  /** The next step for a person; null if nothing is to be done. */
  fix: Nullable(Type.String()),
  at: Nullable(IsoTime),
});
export type ConnectionCheck = Static<typeof ConnectionCheck>;

/** Calls the platform with the stored credentials and reports each part of the connection. `callback_url` is where callbacks should arrive. */
export const CheckConnection = operation('template', 'check-connection', {
  request: Type.Object({ business_id: Id, callback_url: Type.String() }),
  response: Type.Object({ checks: Type.Array(ConnectionCheck) }),
  errors: ['NOT_CONNECTED', 'RATE_LIMITED'],
  deadlineMs: 12_000,
});

/** Subscribes the token's app to the business account, so that the platform posts callbacks. Subscribing again has no effect. */
export const SubscribeToAccount = operation('template', 'subscribe-to-account', {
  request: Type.Object({ business_id: Id }),
  response: Type.Object({}),
  errors: ['NOT_CONNECTED', 'RATE_LIMITED', 'PLATFORM_REFUSED', 'PLATFORM_THROTTLED', 'PLATFORM_UNAVAILABLE', 'OUTCOME_UNKNOWN'],
  deadlineMs: 12_000,
});

/** The last signed callback for the business and the last handshake with its verify token, to the minute; null for never. */
export const GetCallbackTimes = operation('platform-webhook-ingest', 'get-callback-times', {
  request: Type.Object({ business_id: Id }),
  response: Type.Object({ callback_at: Nullable(IsoTime), handshake_at: Nullable(IsoTime) }),
});
