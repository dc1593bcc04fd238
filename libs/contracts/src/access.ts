import { Type, type Static } from '@sinclair/typebox';
import { announcement } from './announcement';
import { Id, Nullable } from './fields';
import { operation } from './operation';

/** Plans of spec §1. */
export const PLANS = ['Growth', 'Pro', 'Starter'] as const;
export type Plan = (typeof PLANS)[number];

/** Permissions of spec §5.5, and the gateway's additional ones (decision 360). */
export const PERMISSIONS = [
  'send_template',
  'send_text',
  'send_media',
  'send_otp',
  'send_interactive',
  'read_messages',
  'manage_people',
  'manage_webhooks',
  '*',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Whether an endpoint with this permission sends or uploads; plans bound only those (spec §5.4). */
export const isForSending = (permission: Permission): boolean => permission.startsWith('send_');

/** The limits that hold now for a business, or for one of its keys. */
export const Access = Type.Object({
  plan: Type.String(),
  /** The zone in force (decision 53). */
  timezone: Type.String(),
  /** The key's messages per day: 0 on the Starter plan. Null without a key. */
  daily_limit: Nullable(Type.Integer({ minimum: 0 })),
});
export type Access = Static<typeof Access>;

/**
 * Finds the plan, time zone and daily cap that hold now, for work that outlives the request that began it (decision 705). `api_key_id` is the
 * first key of its rotations; the newest active heir decides. Null for an unknown business, or a key that was revoked or has expired, with all its heirs.
 */
export const FindAccess = operation('gateway', 'find-access', {
  request: Type.Object({ parties: Type.Array(Type.Object({ business_id: Id, api_key_id: Nullable(Id) }), { maxItems: 100 }) }),
  /** In the order of the request. */
  response: Type.Object({ found: Type.Array(Nullable(Access)) }),
});

/** A key was changed or ends: caches drop it. */
export const KeyChanged = announcement('key-changed', Type.Object({ api_key_id: Id }));
/** A business, its plan or its time zone changed. */
export const BusinessChanged = announcement('business-changed', Type.Object({ business_id: Id }));
/** The operator changed the global limit. */
export const LimitsChanged = announcement('limits-changed', Type.Object({}));
