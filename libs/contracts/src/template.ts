import { Type, type Static } from '@sinclair/typebox';
import { announcement } from './announcement';
import { GatewayError } from './errors';
import { described, Id, IsoTime, Nullable } from './fields';
import { operation } from './operation';
import { NextCursor, PageRequest } from './paging';
import { urlFault } from './url';

/** Spec §2.4, exactly these fields. */
export const TemplateRecord = Type.Object({
  id: Id,
  name: Type.String({ description: 'The `template_name` of sends.' }),
  display_name: Type.String({ description: 'The name for people.' }),
  content: Type.String({ description: 'The body with its variables `{{1}}`, `{{2}}` and so on.' }),
  category: Type.String({ description: 'AUTHENTICATION, MARKETING or UTILITY; WhatsApp may add more.' }),
  language: Type.String({ description: 'The `language` of sends.' }),
  header_type: Nullable(
    Type.String({ description: 'TEXT, IMAGE, VIDEO, DOCUMENT or LOCATION; a template with another header, such as GIF, cannot be sent.' }),
  ),
  header_text: described(Nullable(Type.String()), 'The text of a header of the type TEXT.'),
  footer_text: Nullable(Type.String()),
  variables: Type.Array(Type.String(), { description: 'The names of the body’s variables, in the order of `body_params`.' }),
});
export type TemplateRecord = Static<typeof TemplateRecord>;

/** The part of a template that a send needs to fill it in and to validate its values before the call (platform §1.4). */
export const TemplateShape = Type.Object({
  id: Id,
  name: Type.String(),
  language: Type.String(),
  category: Type.String(),
  /** Body text with positional variables, for the rendered text of `message.sent`. */
  content: Type.String(),
  /** Body variables in order: parameter names for NAMED templates, else "1", "2", ... */
  body_variables: Type.Array(Type.String()),
  named: Type.Boolean(),
  header_format: Nullable(Type.String()),
  header_text: Nullable(Type.String()),
  /** Parameter name of the TEXT header's variable when NAMED. */
  header_variables: Type.Array(Type.String()),
  /** Buttons that need a value, by their index on the platform: the end of a link, a coupon code, or the code of an AUTHENTICATION template. */
  button_parameters: Type.Array(
    Type.Object({
      index: Type.Integer({ minimum: 0 }),
      takes: Type.Union([Type.Literal('link'), Type.Literal('coupon'), Type.Literal('otp')]),
    }),
  ),
});
export type TemplateShape = Static<typeof TemplateShape>;

/** How many values each part of a template takes, at least and at most (decision 15). */
export function valueCounts(template: TemplateShape): Record<'body' | 'header' | 'buttons', readonly [least: number, most: number]> {
  const exactly = (count: number) => [count, count] as const;
  return {
    body: exactly(template.body_variables.length),
    header: MEDIA_HEADERS[template.header_format ?? ''] ?? exactly(template.header_variables.length),
    buttons: exactly(template.button_parameters.filter(({ takes }) => takes !== 'otp').length),
  };
}

/**
 * Maximum characters of one message's values together. The platform accepts no body above 1,024; this bounds the memory of a waiting send.
 */
export const MAX_VALUE_CHARACTERS = 4_096;

/**
 * Headers of other formats (GIF, PRODUCT) are for other APIs of the platform (platform §1.4): such a template is listed, as it is
 * approved, and cannot be sent.
 */
export function foreignHeader({ name, header_format }: TemplateShape): GatewayError | null {
  if (header_format === null || header_format === 'TEXT' || header_format in MEDIA_HEADERS) return null;
  const message = `Template "${name}" has a ${header_format} header, which cannot be sent: use one with a text, image, video, document or location.`;
  return new GatewayError('VALIDATION_FAILED', message, { details: [{ field: 'template_name', message }] });
}

/** Header formats whose first value is the URL of a file. */
const LINKED_HEADERS = new Set(['IMAGE', 'VIDEO', 'DOCUMENT']);

/** Describes the fault of a media header's URL; null for other headers and for a valid URL (decision 50). */
export function headerUrlFault({ header_format }: Pick<TemplateShape, 'header_format'>, values: readonly string[]): string | null {
  const [link] = values;
  return LINKED_HEADERS.has(header_format ?? '') && link !== undefined ? urlFault(link) : null;
}

/** A link, with a file name if wanted; latitude, longitude, name and address. */
const MEDIA_HEADERS: Record<string, readonly [number, number]> = { IMAGE: [1, 1], VIDEO: [1, 1], DOCUMENT: [1, 2], LOCATION: [4, 4] };

/** Lists templates by name and language. Without a limit it lists all, which may exceed the size of one response. */
const TemplatesPage = { limit: Type.Optional(PageRequest.limit), cursor: Type.Optional(Nullable(Type.String())) };

export const ListApprovedTemplates = operation('template', 'list-approved', {
  request: Type.Object({ business_id: Id, ...TemplatesPage }),
  response: Type.Object({ templates: Type.Array(TemplateRecord), next_cursor: Type.Optional(NextCursor) }),
});

/** A template by what a send calls it. */
export const TemplateName = Type.Object({ business_id: Id, name: Type.String(), language: Type.String() });
export type TemplateName = Static<typeof TemplateName>;

/** Approved templates only (decision 14): `template` is null when none has that name in that language. */
export const FoundTemplate = Type.Object({
  template: Nullable(TemplateShape),
  available_languages: Type.Array(Type.String()),
  /** The most similar name, if there is none of that name. A service of the previous version does not send it. */
  similar: Type.Optional(Type.String()),
});
export type FoundTemplate = Static<typeof FoundTemplate>;

/** The template of each name, in their order. */
export const FindTemplates = operation('template', 'find', {
  request: Type.Object({ names: Type.Array(TemplateName, { minItems: 1, maxItems: 100 }) }),
  response: Type.Object({ found: Type.Array(FoundTemplate) }),
});

export const SyncTemplates = operation('template', 'sync', {
  request: Type.Object({ business_id: Id }),
  response: Type.Object({ state: Type.Literal('running'), started_at: IsoTime }),
  errors: ['NOT_CONNECTED'],
});

/** Every template of the business with its status and components, and how the last sync went (spec §10). */
export const ListTemplates = operation('template', 'list', {
  request: Type.Object({ business_id: Id, ...TemplatesPage }),
  response: Type.Object({
    templates: Type.Array(
      Type.Composite([
        TemplateRecord,
        Type.Object({
          status: Type.String(),
          components: Type.Array(Type.Unknown()),
          updated_at: IsoTime,
          quality: { ...Nullable(Type.String()), description: 'GREEN, YELLOW, RED or UNKNOWN; null before the first sync.' },
          rejected_reason: { ...Nullable(Type.String()), description: 'WhatsApp’s word for a rejection, such as INVALID_FORMAT.' },
        }),
      ]),
    ),
    sync: Type.Object({
      state: Type.Union([Type.Literal('never'), Type.Literal('running'), Type.Literal('done'), Type.Literal('failed')]),
      started_at: Nullable(IsoTime),
      finished_at: Nullable(IsoTime),
      found: Type.Integer({ minimum: 0 }),
      problem: Nullable(Type.String()),
    }),
    next_cursor: Type.Optional(NextCursor),
  }),
});

/** Services must drop the business's templates from their caches. */
export const TemplatesChanged = announcement('templates-changed', Type.Object({ business_id: Id }));
