import { JSONSchema } from 'class-validator-jsonschema';
import { DEFAULT_LANGUAGE, IsName, IsParams, Optional } from '../requests/field-rules';

/** The values of a template (spec §4.4). */
export class TemplateValues {
  @Optional(IsName(20))
  language?: string | null;

  @Optional(IsParams())
  body_params?: (string | number)[] | null;

  @Optional(IsParams())
  header_params?: (string | number)[] | null;

  /** For templates with a dynamic URL button (decision 15). */
  @Optional(IsParams())
  button_params?: (string | number)[] | null;
}

@JSONSchema({ example: { template_name: 'order_update', body_params: ['Asha', '1007'] } })
export class TemplateContent extends TemplateValues {
  @IsName(512)
  template_name!: string;
}

/** The members as the send service takes them. */
export function templateOf({ template_name, language, body_params, header_params, button_params }: TemplateContent) {
  return {
    template_name,
    language: language ?? DEFAULT_LANGUAGE,
    body_params: (body_params ?? []).map(String),
    header_params: (header_params ?? []).map(String),
    button_params: (button_params ?? []).map(String),
  };
}
