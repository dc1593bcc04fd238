import type { ConnectionDraft } from './draft';

interface Field {
  name: keyof ConnectionDraft;
  label: string;
  about: string;
  isSecret?: true;
}

/** A step that takes values from Meta's console. */
export interface FieldStep {
  name: string;
  label: string;
  /** The way to the values, in the words of Meta's pages. */
  where: readonly string[];
  fields: readonly Field[];
}

export const FIELD_STEPS = [
  {
    name: 'number',
    label: 'Number',
    where: [
      'Open developers.facebook.com/apps and select your app. Without one, select Create app and the use case “Connect with customers through WhatsApp”.',
      'In the menu on the left select Use cases, then Customize beside “Connect with customers through WhatsApp”.',
      'Select API Setup, and under From the number that your customers write to. Both ids stand below it.',
    ],
    fields: [
      { name: 'phone_number_id', label: 'Phone number ID', about: 'Digits, but not the phone number itself' },
      { name: 'business_account_id', label: 'WhatsApp Business Account ID', about: 'Digits; the account that the number belongs to' },
    ],
  },
  {
    name: 'token',
    label: 'Access token',
    where: [
      'Open business.facebook.com/settings and select Users → System users. Add one with the role Admin if there is none.',
      'Select Assign assets. Give it full control of your app (Apps) and of your WhatsApp account (WhatsApp accounts).',
      'Select Generate token, your app, and the expiry Never. The token that API Setup offers ends within a day.',
      'Select the permissions whatsapp_business_messaging and whatsapp_business_management, generate the token and copy it. Meta shows it once.',
    ],
    fields: [{ name: 'access_token', label: 'Access token', about: 'Begins with EAA', isSecret: true }],
  },
  {
    name: 'secret',
    label: 'App secret',
    where: [
      'Open developers.facebook.com/apps and select the app for which you generated the token.',
      'In the menu on the left select App settings → Basic.',
      'Select Show beside App secret, enter your Facebook password, and copy the secret.',
    ],
    fields: [
      {
        name: 'app_secret',
        label: 'App secret',
        about: '32 letters and digits; it proves that callbacks come from WhatsApp',
        isSecret: true,
      },
    ],
  },
] as const satisfies readonly FieldStep[];

export const STEPS = [...FIELD_STEPS, { name: 'callback', label: 'Callback' }, { name: 'check', label: 'Check' }] as const;
export type StepName = (typeof STEPS)[number]['name'];
