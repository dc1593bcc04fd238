import { Type, type Static } from '@sinclair/typebox';
import { ConnectionCheck, IsoTime, Nullable, NumberDetails } from '@mgw/contracts';

/**
 * The connection without its secrets; the verify token is there to be pasted into Meta's console, and null if it does not open. The number's
 * details are null before the first check.
 */
export const ConnectionView = Type.Object({
  phone_number_id: Nullable(Type.String()),
  business_account_id: Nullable(Type.String()),
  verify_token: Nullable(Type.String()),
  status: Type.Union((['unchecked', 'connected', 'problem', 'not_connected'] as const).map((status) => Type.Literal(status))),
  checked_at: Nullable(IsoTime),
  problem: Nullable(Type.String()),
  ...NumberDetails.properties,
});
export type ConnectionView = Static<typeof ConnectionView>;

export const ConnectionResponse = Type.Object(
  { ...ConnectionView.properties, callback_url: Type.String({ description: 'To paste into Meta’s console.' }) },
  { title: 'Connection' },
);

export const ConnectionChecksResponse = Type.Object(
  {
    checked_at: IsoTime,
    checks: Type.Array(ConnectionCheck, {
      description: 'In the order in which problems are best solved. `at` continues `message`: the end of the token, or the last callback.',
    }),
  },
  { title: 'ConnectionChecks' },
);
export type ConnectionChecksResponse = Static<typeof ConnectionChecksResponse>;
