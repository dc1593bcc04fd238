import { Type, type Static } from '@sinclair/typebox';
import { Id } from './fields';
import { operation } from './operation';

const Category = Type.Union((['UTILITY', 'MARKETING', 'AUTHENTICATION'] as const).map((category) => Type.Literal(category)));
const Example = Type.String({ maxLength: 1024 });

const TemplateHeader = Type.Object({
  type: Type.Union((['text', 'image', 'video', 'document'] as const).map((type) => Type.Literal(type))),
  text: Type.Optional(Type.String({ maxLength: 60 })),
  /** For a file: the handle of an upload (WhatsApp's Resumable Upload API). */
  example: Type.Optional(Type.String({ maxLength: 4_096 })),
});

const TemplateButton = Type.Object({
  type: Type.Union((['url', 'phone', 'quick_reply', 'copy_code'] as const).map((type) => Type.Literal(type))),
  text: Type.String({ maxLength: 25 }),
  url: Type.Optional(Type.String({ maxLength: 2_000 })),
  phone: Type.Optional(Type.String({ maxLength: 20 })),
  example: Type.Optional(Type.String({ maxLength: 2_000 })),
});

/** The parts of a template that an edit may change. WhatsApp writes the text of an AUTHENTICATION template, so that has none of its own. */
export const TemplateContent = Type.Object({
  category: Category,
  header: Type.Optional(TemplateHeader),
  body: Type.Optional(Type.String({ maxLength: 1_024 })),
  footer: Type.Optional(Type.String({ maxLength: 60 })),
  buttons: Type.Optional(Type.Array(TemplateButton, { maxItems: 10 })),
  /** One value for each variable, in their order. */
  examples: Type.Optional(
    Type.Object({
      header: Type.Optional(Type.Array(Example, { maxItems: 1 })),
      body: Type.Optional(Type.Array(Example, { maxItems: 50 })),
    }),
  ),
});
export type TemplateContent = Static<typeof TemplateContent>;

export const TemplateDraft = Type.Object({
  name: Type.String({ maxLength: 512, pattern: '^[a-z0-9_]+$' }),
  language: Type.String({ maxLength: 20, pattern: '^[a-z]{2,3}(_[A-Z]{2})?$' }),
  ...TemplateContent.properties,
});
export type TemplateDraft = Static<typeof TemplateDraft>;

/** A change that WhatsApp accepted; a sync shows it in the list. A refused one has WhatsApp's reason. */
const change = {
  response: Type.Object({}),
  deadlineMs: 20_000,
} as const;
const ERRORS_OF_CHANGES = [
  'NOT_CONNECTED',
  'RATE_LIMITED',
  'PLATFORM_REFUSED',
  'PLATFORM_THROTTLED',
  'PLATFORM_UNAVAILABLE',
  'OUTCOME_UNKNOWN',
] as const;

/** Submits a template to WhatsApp, which approves or rejects it. VALIDATION_FAILED names every part that WhatsApp would refuse. */
export const CreateTemplate = operation('template', 'create', {
  ...change,
  request: Type.Object({ business_id: Id, draft: TemplateDraft }),
  errors: ERRORS_OF_CHANGES,
});

/** Replaces the content of a template, which WhatsApp reviews again. Its name and language stay. */
export const ChangeTemplate = operation('template', 'change', {
  ...change,
  request: Type.Object({ business_id: Id, id: Id, content: TemplateContent }),
  errors: [...ERRORS_OF_CHANGES, 'NOT_FOUND', 'CONFLICT'],
});

/** Deletes a template in one language. */
export const DeleteTemplate = operation('template', 'delete', {
  ...change,
  request: Type.Object({ business_id: Id, id: Id }),
  // Absent from the previous version of the service.
  response: Type.Object({ name: Type.Optional(Type.String()), language: Type.Optional(Type.String()) }),
  errors: [...ERRORS_OF_CHANGES, 'NOT_FOUND'],
});
