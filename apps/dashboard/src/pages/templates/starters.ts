import { EMPTY_BUTTON, EMPTY_FORM, type TemplateForm } from './template-form';

/** Beginnings of templates that most businesses need. */
export const STARTERS: { label: string; form: TemplateForm }[] = [
  {
    label: 'Order',
    form: {
      ...EMPTY_FORM,
      name: 'order_confirmed',
      body: 'Hello {{1}}, thank you for your order {{2}}. We will write to you here when it leaves.',
      examples: { 'body 1': 'Asha', 'body 2': '1007' },
    },
  },
  {
    label: 'Delivery',
    form: {
      ...EMPTY_FORM,
      name: 'order_on_its_way',
      body: 'Hello {{1}}, your order {{2}} is on its way and arrives on {{3}} at the address that you gave us.',
      buttons: [
        { ...EMPTY_BUTTON, type: 'url', text: 'Track', url: 'https://example.com/track/{{1}}', example: 'https://example.com/track/1007' },
      ],
      examples: { 'body 1': 'Asha', 'body 2': '1007', 'body 3': 'Monday' },
    },
  },
  {
    label: 'Reminder',
    form: {
      ...EMPTY_FORM,
      name: 'appointment_reminder',
      body: 'Hello {{1}}, this is a reminder of your appointment on {{2}} at {{3}} with us.',
      buttons: [
        { ...EMPTY_BUTTON, type: 'quick_reply', text: 'Confirm' },
        { ...EMPTY_BUTTON, type: 'quick_reply', text: 'Change it' },
      ],
      examples: { 'body 1': 'Asha', 'body 2': 'Monday', 'body 3': '10:30' },
    },
  },
  {
    label: 'Offer',
    form: {
      ...EMPTY_FORM,
      name: 'offer_of_the_season',
      category: 'MARKETING',
      body: 'Hello {{1}}, our new collection is here. Show this message in our shop until {{2}} and get {{3}} off your order.',
      footer: 'Reply STOP to opt out',
      examples: { 'body 1': 'Asha', 'body 2': 'Friday', 'body 3': '10 %' },
    },
  },
  { label: 'One-time code', form: { ...EMPTY_FORM, name: 'login_code', category: 'AUTHENTICATION' } },
];
