import type { GraphTemplate, GraphTemplateComponent } from '@mgw/platform-api';

const OTP_URL = 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code_expiration_minutes=5&code=otp{{1}}';

const body = (text: string, ...example: string[]): GraphTemplateComponent => ({
  type: 'BODY',
  text,
  ...(example.length > 0 && { example: { body_text: [example] } }),
});
const header = (format: string, text?: string): GraphTemplateComponent => ({ type: 'HEADER', format, ...(text !== undefined && { text }) });
const footer = (text: string): GraphTemplateComponent => ({ type: 'FOOTER', text });
/** The platform returns the code button of an AUTHENTICATION template in this form (platform §1.5). */
const copyCode: GraphTemplateComponent = { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Copy code', url: OTP_URL }] };

type Draft = Pick<GraphTemplate, 'name' | 'language' | 'category' | 'components'> & Partial<GraphTemplate>;

const login = (language: string): Draft => ({
  name: 'login_code',
  language,
  category: 'AUTHENTICATION',
  components: [body('*{{1}}* is your verification code.', '123456'), footer('This code expires in 5 minutes.'), copyCode],
});

const drafts: Draft[] = [
  {
    name: 'hello_world',
    language: 'en_US',
    category: 'UTILITY',
    components: [header('TEXT', 'Hello World'), body('Welcome and congratulations!')],
  },
  {
    name: 'order_update',
    language: 'en',
    category: 'UTILITY',
    components: [body('Hello {{1}}, your order {{2}} is on its way.', 'Asha', '1007'), footer('Reply STOP to opt out')],
  },
  {
    name: 'dispatch_notice',
    language: 'en',
    category: 'UTILITY',
    components: [
      header('TEXT', 'Order {{1}}'),
      body('Hello {{1}}, order {{2}} left our house on {{3}}.', 'Asha', '1007', 'Monday'),
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://shop.example/track/{{1}}', example: ['1007'] }] },
    ],
  },
  login('en'),
  login('en_US'),
  { name: 'otp_plain', language: 'en', category: 'UTILITY', components: [body('Your code is {{1}}.', '123456')] },
  {
    name: 'welcome_named',
    language: 'en',
    category: 'MARKETING',
    parameter_format: 'NAMED',
    components: [body('Welcome {{first_name}}! Your shop is {{shop}}, {{first_name}}.', 'Asha', 'Kaveri')],
  },
  { name: 'invoice', language: 'en', category: 'UTILITY', components: [header('DOCUMENT'), body('Your invoice, {{1}}.', 'Asha')] },
  {
    name: 'weekly_offers',
    language: 'en',
    category: 'MARKETING',
    status: 'PAUSED',
    components: [body('Offers of the week: {{1}}.', 'silk')],
  },
];

/** @param account number of the account, part of the ids, which exceed JavaScript's numbers like the platform's */
export function demoTemplates(account: number): GraphTemplate[] {
  return drafts.map((draft, i) => ({
    id: `91${String(account).padStart(8, '0')}${String(i + 1).padStart(8, '0')}`,
    status: 'APPROVED',
    parameter_format: 'POSITIONAL',
    ...structuredClone(draft),
  }));
}
