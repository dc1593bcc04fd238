import { Type } from '@sinclair/typebox';
import { announcement } from './announcement';
import { Id } from './fields';

/** Plans of spec §1. */
export const PLANS = ['Growth', 'Pro', 'Starter'] as const;
export type Plan = (typeof PLANS)[number];

/** Permissions of spec §5.5, and those beside them (decision 360). */
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

/** A key was changed or ends: every gateway drops it from its cache. */
export const KeyChanged = announcement('key-changed', Type.Object({ api_key_id: Id }));
/** A business, its plan or its time zone changed. */
export const BusinessChanged = announcement('business-changed', Type.Object({ business_id: Id }));
/** The operator changed the global limit. */
export const LimitsChanged = announcement('limits-changed', Type.Object({}));
