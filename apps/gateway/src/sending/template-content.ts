import { JSONSchema } from 'class-validator-jsonschema';
import { BODY_PARAMS, BUTTON_PARAMS, DEFAULT_LANGUAGE, HEADER_PARAMS, IsName, IsParams, Optional } from '../requests/field-rules';

export const TEMPLATE_NAME = 'The `name` of an approved template, as `GET /templates` lists it.';
export const LANGUAGE = `The language code of the template, \`${DEFAULT_LANGUAGE}\` by default.`;

/** The values of a template (spec §4.4). */
export class TemplateValues {
  @JSONSchema({ description: LANGUAGE })
  @Optional(IsName(20))
  language?: string | null;

  @JSONSchema({ description: BODY_PARAMS })
  @Optional(IsParams())
  body_params?: (string | number)[] | null;

  @JSONSchema({ description: HEADER_PARAMS })
  @Optional(IsParams())
  header_params?: (string | number)[] | null;

  /** Decision 15. */
  @JSONSchema({ description: BUTTON_PARAMS })
  @Optional(IsParams())
  button_params?: (string | number)[] | null;
}

@JSONSchema({ example: { template_name: 'order_update', body_params: ['Asha', '1007'] } })
export class TemplateContent extends TemplateValues {
  @JSONSchema({ description: TEMPLATE_NAME })
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
