import { Type, type TSchema } from '@sinclair/typebox';
import type { MediaStore } from '../media/media-store';
import { isMediaKind } from '../media/media-types';
import { GraphFailure } from '../graph-error';
import { checkMedia } from './media-check';
import { checkShape, strict, text } from './shape';

const optional = Type.Optional;

const Reply = strict({ type: Type.Literal('reply'), reply: strict({ id: text(256), title: text(20) }) });
const Row = strict({ id: text(200), title: text(24), description: optional(Type.String({ maxLength: 72 })) });
const Section = strict({ title: optional(Type.String({ maxLength: 24 })), rows: Type.Array(Row, { minItems: 1, maxItems: 10 }) });
const ProductSection = strict({
  title: optional(Type.String({ maxLength: 24 })),
  product_items: Type.Array(strict({ product_retailer_id: text(256) }), { minItems: 1, maxItems: 30 }),
});
const Flow = strict({
  flow_message_version: Type.Literal('3'),
  flow_id: optional(text(64)),
  flow_name: optional(text(512)),
  flow_cta: text(30),
  flow_token: optional(text(1_024)),
  mode: optional(Type.Union([Type.Literal('draft'), Type.Literal('published')])),
  flow_action: optional(Type.Union([Type.Literal('navigate'), Type.Literal('data_exchange')])),
  flow_action_payload: optional(Type.Object({})),
});
const named = <T extends TSchema>(name: string, parameters: T) => strict({ name: Type.Literal(name), parameters });

interface Kind {
  action: TSchema;
  /** The body is required by default. */
  body: number;
  isBodyOptional?: boolean;
  /** Allowed types of the header. */
  headers: readonly string[];
}

const ANY_HEADER = ['text', 'image', 'video', 'document'];
const KINDS: Record<string, Kind> = {
  button: { action: strict({ buttons: Type.Array(Reply, { minItems: 1, maxItems: 3 }) }), body: 1_024, headers: ANY_HEADER },
  list: {
    action: strict({ button: text(20), sections: Type.Array(Section, { minItems: 1, maxItems: 10 }) }),
    body: 4_096,
    headers: ['text'],
  },
  cta_url: { action: named('cta_url', strict({ display_text: text(20), url: text(2_000) })), body: 1_024, headers: ANY_HEADER },
  flow: { action: named('flow', Flow), body: 1_024, headers: ANY_HEADER },
  location_request_message: { action: strict({ name: Type.Literal('send_location') }), body: 1_024, headers: [] },
  product: {
    action: strict({ catalog_id: text(64), product_retailer_id: text(256) }),
    body: 1_024,
    isBodyOptional: true,
    headers: [],
  },
  product_list: {
    action: strict({ catalog_id: text(64), sections: Type.Array(ProductSection, { minItems: 1, maxItems: 10 }) }),
    body: 1_024,
    headers: ['text'],
  },
  catalog_message: {
    action: strict({
      name: Type.Literal('catalog_message'),
      parameters: optional(strict({ thumbnail_product_retailer_id: optional(text(256)) })),
    }),
    body: 1_024,
    headers: [],
  },
  address_message: {
    action: named('address_message', Type.Object({ country: text(2, 2) })),
    body: 1_024,
    headers: [],
  },
  voice_call: {
    action: strict({
      name: Type.Literal('voice_call'),
      parameters: optional(
        strict({ display_text: optional(text(20)), ttl_minutes: optional(Type.Integer({ minimum: 1, maximum: 43_200 })) }),
      ),
    }),
    body: 1_024,
    headers: [],
  },
  call_permission_request: { action: strict({ name: Type.Literal('call_permission_request') }), body: 1_024, headers: [] },
};

const Frame = strict({
  type: Type.String(),
  header: optional(Type.Object({ type: Type.String() })),
  body: optional(Type.Unknown()),
  footer: optional(strict({ text: text(60) })),
  action: Type.Unknown(),
});
const TextHeader = strict({ type: Type.Literal('text'), text: text(60) });

/** Checks buttons, lists and other interactive messages (platform §8.1). @throws GraphFailure */
export function checkInteractive(content: unknown, phoneNumberId: string, media: MediaStore): void {
  const { type, header, body, action } = checkShape(Frame, content ?? {}, 'interactive');
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  if (!kind) throw new GraphFailure(100, `Param interactive['type'] must be one of {${Object.keys(KINDS).join(', ')}} - got "${type}".`);
  if (body !== undefined || !kind.isBodyOptional) checkShape(strict({ text: text(kind.body) }), body ?? {}, "interactive['body']");
  checkShape(kind.action, action, "interactive['action']");
  if (header) checkHeader(header, kind, phoneNumberId, media);
  if (type === 'product_list' && !header) throw new GraphFailure(100, "The parameter interactive['header'] is required.");
  if (type === 'button') checkButtons(action as { buttons: { reply: { id: string; title: string } }[] });
  if (type === 'list') checkList(action as { sections: { title?: string; rows: { id: string }[] }[] });
  if (type === 'flow') checkFlow(action as { parameters: { flow_id?: string; flow_name?: string } });
}

function checkHeader(header: { type: string }, { headers }: Kind, phoneNumberId: string, media: MediaStore): void {
  if (!headers.includes(header.type)) throw invalid(`Header of type ${header.type} is not allowed here`);
  if (header.type === 'text') checkShape(TextHeader, header, "interactive['header']");
  else if (isMediaKind(header.type)) {
    checkShape(strict({ type: Type.String(), [header.type]: Type.Unknown() }), header, "interactive['header']");
    const file = (header as Record<string, unknown>)[header.type];
    checkMedia(header.type, file, `interactive['header']['${header.type}']`, phoneNumberId, media);
  }
}

function checkButtons({ buttons }: { buttons: { reply: { id: string; title: string } }[] }): void {
  for (const part of ['id', 'title'] as const)
    if (new Set(buttons.map(({ reply }) => reply[part])).size < buttons.length) throw invalid(`Duplicated ${part} of a button`);
}

function checkList({ sections }: { sections: { title?: string; rows: { id: string }[] }[] }): void {
  const rows = sections.flatMap((section) => section.rows);
  if (rows.length > 10) throw invalid(`Total row count exceed max allowed count: 10`);
  if (new Set(rows.map(({ id }) => id)).size < rows.length) throw invalid('Duplicated row id');
  if (sections.length > 1 && sections.some(({ title }) => !title)) throw invalid('Section title is required when there is more than one');
}

function checkFlow({ parameters }: { parameters: { flow_id?: string; flow_name?: string } }): void {
  if ((parameters.flow_id === undefined) === (parameters.flow_name === undefined))
    throw invalid('Exactly one of flow_id and flow_name is needed');
}

const invalid = (details: string) => new GraphFailure(131009, 'Parameter value is not valid', { details });
