import { Type, type Static } from '@sinclair/typebox';
import type { GraphTemplateComponent } from '@mgw/platform-api';
import { GraphFailure } from '../graph-error';
import { strict, text } from './shape';

const optional = Type.Optional;
const example = { example: optional(Type.Unknown()) };

const Button = Type.Union([
  strict({ type: Type.Literal('QUICK_REPLY'), text: text(25) }),
  strict({ type: Type.Literal('URL'), text: text(25), url: text(2_000), ...example }),
  strict({ type: Type.Literal('PHONE_NUMBER'), text: text(25), phone_number: text(20) }),
  strict({ type: Type.Literal('COPY_CODE'), text: optional(text(25)), ...example }),
  Type.Object({ type: Type.Literal('OTP'), otp_type: Type.String({ pattern: '^(COPY_CODE|ONE_TAP|ZERO_TAP)$' }) }),
  Type.Object({ type: Type.String({ pattern: '^(FLOW|CATALOG|MPM|SPM|VOICE_CALL|CALL_PERMISSION_REQUEST|REQUEST_CONTACT_INFO)$' }) }),
]);

const Component = Type.Union([
  strict({
    type: Type.Literal('HEADER'),
    format: Type.String({ pattern: '^(TEXT|IMAGE|VIDEO|GIF|DOCUMENT|LOCATION|PRODUCT)$' }),
    text: optional(text(60)),
    ...example,
  }),
  strict({ type: Type.Literal('BODY'), text: optional(text(1_024)), add_security_recommendation: optional(Type.Boolean()), ...example }),
  strict({
    type: Type.Literal('FOOTER'),
    text: optional(text(60)),
    code_expiration_minutes: optional(Type.Integer({ minimum: 1, maximum: 90 })),
  }),
  strict({ type: Type.Literal('BUTTONS'), buttons: Type.Array(Button, { minItems: 1, maxItems: 10 }) }),
  Type.Object({ type: Type.String({ pattern: '^(CAROUSEL|LIMITED_TIME_OFFER|CALL_PERMISSION_REQUEST)$' }) }),
]);

export const Category = Type.String({ pattern: '^(AUTHENTICATION|MARKETING|UTILITY)$' });
export const Components = Type.Array(Component, { minItems: 1 });
export const TemplateDraft = strict({
  name: Type.String({ pattern: '^[a-z0-9_]{1,512}$' }),
  language: Type.String({ pattern: '^[a-z]{2,3}(_[A-Z]{2})?$' }),
  category: Category,
  components: Components,
  parameter_format: optional(Type.String({ pattern: '^(NAMED|POSITIONAL|named|positional)$' })),
  allow_category_change: optional(Type.Boolean()),
  message_send_ttl_seconds: optional(Type.Integer()),
});

/**
 * The components as the platform returns them: it replaces the words and the button of a code (platform §1.5).
 * @throws GraphFailure 100 for an invalid component
 */
export function readComponents(components: Static<typeof Components>, category: string): GraphTemplateComponent[] {
  const count = (type: string) => components.filter((component) => component.type === type).length;
  const twice = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'].find((type) => count(type) > 1);
  if (twice) throw invalid(`There is more than one ${twice}`);
  if (count('BODY') === 0) throw invalid('The component BODY is required');
  const isCode = category === 'AUTHENTICATION';
  return components.map((component) => (isCode ? codeComponent(component) : plainComponent(component as GraphTemplateComponent)));
}

function codeComponent(component: Static<typeof Component>): GraphTemplateComponent {
  const part = component as GraphTemplateComponent & { add_security_recommendation?: boolean; code_expiration_minutes?: number };
  switch (part.type) {
    case 'BODY': {
      const advice = part.add_security_recommendation ? ' For your security, do not share this code.' : '';
      return { type: 'BODY', text: `*{{1}}* is your verification code.${advice}`, example: { body_text: [['123456']] } };
    }
    case 'FOOTER':
      return { type: 'FOOTER', text: `This code expires in ${part.code_expiration_minutes ?? 10} minutes.` };
    case 'BUTTONS':
      if (part.buttons?.length !== 1 || part.buttons[0]?.type !== 'OTP')
        throw invalid('An AUTHENTICATION template has one button, of type OTP');
      return { type: 'BUTTONS', buttons: [otpButton(part.buttons[0] as { otp_type?: string; text?: string })] };
    default:
      throw invalid(`An AUTHENTICATION template has no ${part.type}`);
  }
}

function otpButton({ otp_type = 'COPY_CODE', text: label = 'Copy code' }: { otp_type?: string; text?: string }) {
  return { type: 'URL', text: label, url: `https://www.whatsapp.com/otp/code/?otp_type=${otp_type}&code=otp{{1}}` };
}

function plainComponent(component: GraphTemplateComponent): GraphTemplateComponent {
  const variables = component.text?.match(/\{\{\s*\w+\s*\}\}/g)?.length ?? 0;
  if (component.type === 'BODY' && component.text === undefined) throw invalid('The text of BODY is required');
  if (component.type === 'HEADER' && (component.format === 'TEXT') !== (component.text !== undefined))
    throw invalid('HEADER has a text if and only if its format is TEXT');
  if (component.type === 'HEADER' && variables > 1) throw invalid('HEADER may have one variable');
  if (component.type === 'FOOTER' && (component.text === undefined || variables > 0)) throw invalid('FOOTER has a text without variables');
  const urls = component.buttons?.filter(({ type }) => type === 'URL') ?? [];
  if (urls.length > 2) throw invalid('There may be two buttons of type URL');
  if (urls.some(({ url }) => /\{\{.*\}\}./.test(url ?? ''))) throw invalid('The variable of a URL must be at its end');
  if (component.buttons?.some(({ type }) => type === 'OTP')) throw invalid('Only AUTHENTICATION templates have OTP buttons');
  return component;
}

const invalid = (details: string) => new GraphFailure(100, 'Invalid parameter', { subcode: 2388043, details });
