import { type Schemas } from '../../api/client';

export type AuditEntry = Schemas['AuditLog']['entries'][number];
export type AuditAction = AuditEntry['action'];

/** Labels of the actions. The compiler requires one for each. */
export const ACTION_LABELS: Record<AuditAction, string> = {
  'session.opened': 'Logged in',
  'session.refused': 'Failed to log in',
  'session.closed': 'Logged out',
  'session.ended': 'Ended a session',
  'password.changed': 'Changed the password',
  'password.forgotten': 'Asked for a link by mail',
  'password.set': 'Set the password by link',
  'user.created': 'Added a person',
  'user.invited': 'Invited a person',
  'user.reset': 'Made a reset link',
  'user.removed': 'Removed a person',
  'business.created': 'Created the business',
  'business.changed': 'Changed the business',
  'settings.changed': 'Changed settings',
  'limits.set': 'Set the global limit',
  'api-key.created': 'Created an API key',
  'api-key.changed': 'Changed an API key',
  'api-key.rotated': 'Rotated an API key',
  'api-key.revoked': 'Revoked an API key',
  'api-key.limits-changed': 'Changed limits of an API key',
  'connection.set': 'Changed the connection',
  'templates.synced': 'Synced templates',
  'webhook.created': 'Created a webhook',
  'webhook.changed': 'Changed a webhook',
  'webhook.deleted': 'Deleted a webhook',
  'webhook.tested': 'Tested a webhook',
  'delivery.redelivered': 'Redelivered an event',
  'suppression.set': 'Opted a contact out',
  'suppression.lifted': 'Lifted an opt-out',
  'reply.sent': 'Replied to a customer',
  'broadcast.created': 'Created a broadcast',
  'broadcast.cancelled': 'Cancelled a broadcast',
  'broadcast.paused': 'Paused a broadcast',
  'broadcast.resumed': 'Resumed a broadcast',
  'auto-reply.changed': 'Changed auto-reply',
  'auto-reply.tried': 'Tried auto-reply',
};
