import { Type, type Static } from '@sinclair/typebox';
import { Id, IsoTime, Nullable } from './fields';
import { announcement } from './announcement';
import { GatewayError } from './errors';
import { operation } from './operation';

/**
 * Restrictions in force. `kinds` has the platform's words, for example RESTRICTED_BIZ_INITIATED_MESSAGING, without expired ones. `until` is
 * the end of the last one; null if one has no end.
 */
export const Restriction = Type.Object({ kinds: Type.Array(Type.String()), until: Nullable(IsoTime) });
export type Restriction = Static<typeof Restriction>;

/** The details of a number at the last probe (platform §3.3). */
export const NumberDetails = Type.Object({
  display_phone_number: Nullable(Type.String()),
  verified_name: Nullable(Type.String()),
  quality_rating: Nullable(Type.String()),
  messaging_limit: Nullable(Type.String()),
  throughput: Nullable(Type.String()),
});
export type NumberDetails = Static<typeof NumberDetails>;

/**
 * A business's channel on the platform: its number, its account and its secrets. The template service owns it; send and ingest cache it
 * for a few seconds. Secrets travel sealed (libs/sealing).
 */
export const Connection = Type.Object({
  business_id: Id,
  phone_number_id: Type.String(),
  business_account_id: Type.String(),
  access_token_sealed: Type.String(),
  app_secret_sealed: Type.String(),
  /** The previous secret, valid for 24 h after the change (platform §4.2). */
  previous_app_secret_sealed: Nullable(Type.String()),
  verify_token_sealed: Type.String(),
  /** `connected`, or the reason why not (platform §3.3). */
  status: Type.Union([Type.Literal('unchecked'), Type.Literal('connected'), Type.Literal('problem')]),
  checked_at: Nullable(IsoTime),
  problem: Nullable(Type.String()),
  /** Temporary restrictions of the account by the platform (platform §4.6). */
  restriction: Nullable(Restriction),
  /** An operator suspended the business: it sends nothing. */
  suspended: Type.Optional(Type.Boolean()),
  number: Type.Optional(Nullable(NumberDetails)),
});
export type Connection = Static<typeof Connection>;

/** Decision 19. */
export function notConnected(): GatewayError {
  return new GatewayError('NOT_CONNECTED', 'The messaging connection of this business is not established.', {
    hint: 'Set the connection up in the dashboard and check it there.',
  });
}

export const GetConnection = operation('template', 'get-connection', {
  request: Type.Object({ business_id: Id }),
  response: Type.Object({ connection: Nullable(Connection) }),
});

/** Connections of several businesses, in their order; null for a business without one. For services that cache them. */
export const GetConnections = operation('template', 'get-connections', {
  request: Type.Object({ business_ids: Type.Array(Id, { minItems: 1, maxItems: 100 }) }),
  response: Type.Object({ connections: Type.Array(Nullable(Connection)) }),
});

/** `number_verified_at`: when the platform first accepted the business's token for its number; null before. */
export const ListedConnection = Type.Object({ ...Connection.properties, number_verified_at: Nullable(IsoTime) });
export type ListedConnection = Static<typeof ListedConnection>;

/** Connections after a business id, for the ingest service's map of numbers and secrets; pages of at most 500. */
export const ListConnections = operation('template', 'list-connections', {
  request: Type.Object({ after_business_id: Type.Integer({ minimum: 0 }) }),
  response: Type.Object({ connections: Type.Array(ListedConnection) }),
});

/**
 * Creates or changes a connection; absent secrets stay as they are. VALIDATION_FAILED if a new connection lacks a secret. Several
 * businesses may claim a number (decision 255).
 */
export const SetConnection = operation('template', 'set-connection', {
  request: Type.Object({
    business_id: Id,
    phone_number_id: Type.String({ pattern: '^[0-9]{1,32}$' }),
    business_account_id: Type.String({ pattern: '^[0-9]{1,32}$' }),
    access_token_sealed: Type.Optional(Type.String()),
    app_secret_sealed: Type.Optional(Type.String()),
    verify_token_sealed: Type.Optional(Type.String()),
  }),
  response: Type.Object({ connection: Connection }),
  errors: ['VALIDATION_FAILED'],
});

/** Reports that the platform refused the credentials or the number: the template service records it and probes again. */
export const ReportConnectionProblem = operation('template', 'report-connection-problem', {
  request: Type.Object({ business_id: Id, platform_code: Type.Integer(), problem: Type.String() }),
  response: Type.Object({}),
});

/** Suspends the sends of a business, or resumes them. Takes effect everywhere within five seconds. */
export const SuspendBusiness = operation('template', 'suspend-business', {
  request: Type.Object({ business_id: Id, suspended: Type.Boolean() }),
  response: Type.Object({}),
});

/** Services must drop the business's connection from their caches. */
export const ConnectionChanged = announcement('connection-changed', Type.Object({ business_id: Id }));
