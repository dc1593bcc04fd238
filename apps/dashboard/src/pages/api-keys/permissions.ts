export const PERMISSIONS = ['send_template', 'send_text', 'send_media', 'send_otp', 'send_interactive', 'read_messages'] as const;

export type Permission = (typeof PERMISSIONS)[number] | '*';

export interface NewKey {
  name: string;
  permissions: Permission[];
  expires_at: string | null;
}
