export const PERMISSIONS = [
  'send_template',
  'send_text',
  'send_media',
  'send_otp',
  'send_interactive',
  'read_messages',
  'manage_people',
  'manage_webhooks',
] as const;

export type Permission = (typeof PERMISSIONS)[number] | '*';

export interface NewKey {
  name: string;
  permissions: Permission[];
  expires_at: string | null;
}
