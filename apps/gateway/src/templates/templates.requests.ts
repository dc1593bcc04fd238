import { JSONSchema } from 'class-validator-jsonschema';
import { TemplateDraft, type TemplateContent } from '@mgw/contracts';
import { HasShape, Optional } from '../requests/field-rules';

const { name, language, category, header, body, footer, buttons, examples } = TemplateDraft.properties;
const CONTENT = {
  category: 'UTILITY',
  body: 'Hello {{1}}, your order {{2}} is on its way.',
  footer: 'Reply STOP to opt out',
  examples: { body: ['Asha', '1007'] },
};

/** The content of a template. WhatsApp writes the text of an AUTHENTICATION template, which has no body. */
@JSONSchema({ example: CONTENT })
export class ChangeTemplateRequest {
  @HasShape(category)
  category!: TemplateContent['category'];

  @Optional(HasShape(header))
  header?: TemplateContent['header'] | null;

  /** Variables are `{{1}}`, `{{2}}` and so on, or have names, such as `{{first_name}}`. */
  @Optional(HasShape(body))
  body?: string | null;

  @Optional(HasShape(footer))
  footer?: string | null;

  @Optional(HasShape(buttons))
  buttons?: TemplateContent['buttons'] | null;

  @Optional(HasShape(examples))
  examples?: TemplateContent['examples'] | null;
}

@JSONSchema({ example: { name: 'order_on_its_way', language: 'en', ...CONTENT } })
export class CreateTemplateRequest extends ChangeTemplateRequest {
  @HasShape(name)
  name!: string;

  @HasShape(language)
  language!: string;
}
