import { applyDecorators } from '@nestjs/common';
import type { Static, TSchema } from '@sinclair/typebox';
import { ValidateIf } from 'class-validator';
import {
  ChoiceList,
  FlowButton,
  INTERACTIVE_KINDS,
  InteractiveContent,
  InteractiveHeader,
  LinkButton,
  maxBodyOf,
  ReplyButtons,
  urlFault,
  type ContactCards,
  type InteractiveKind,
} from '@mgw/contracts';
import { HasShape, isCertain, rule } from '../requests/field-rules';
import { CHECKS_NESTED } from '../requests/prepared-check';
import { shapeFault } from '../requests/shape-fault';

interface Interactive {
  kind?: unknown;
}

/** The member of one kind: required for it, refused for the others. */
function forKind<S extends TSchema>(kind: InteractiveKind, schema: S, moreFaults: (value: Static<S>) => string | null): PropertyDecorator {
  const fault = (value: unknown, request: Interactive) => {
    if (request.kind === kind && (value === undefined || value === null)) return `is required for the kind ${kind}`;
    if (request.kind !== kind && INTERACTIVE_KINDS.some((known) => known === request.kind)) return `goes with the kind ${kind} only`;
    return shapeFault(schema, value) ?? moreFaults(value as Static<S>);
  };
  return applyDecorators(
    ValidateIf((request: Interactive, value: unknown) => request.kind === kind || (value !== undefined && value !== null)),
    rule('hasShape', fault, [schema, CHECKS_NESTED]),
  );
}

export const IsButtons = () =>
  forKind('buttons', ReplyButtons, (buttons) => {
    for (const part of ['id', 'title'] as const) {
      const repeated = repeatedIn(buttons.map((button) => button[part]));
      if (repeated >= 0) return `.${repeated}.${part} repeats the ${part} of another button`;
    }
    return null;
  });

const MAX_ROWS = 10;
export const IsList = () =>
  forKind('list', ChoiceList, ({ sections }) => {
    const untitled = sections.findIndex(({ title }) => !title);
    if (sections.length > 1 && untitled >= 0) return `.sections.${untitled}.title is required with more than one section`;
    const rows = sections.flatMap((section) => section.rows);
    if (rows.length > MAX_ROWS) return `.sections must have at most ${MAX_ROWS} rows together`;
    const repeated = repeatedIn(rows.map(({ id }) => id));
    return repeated < 0 ? null : `.sections must not repeat the id of a row: ${rows[repeated]?.id}`;
  });

export const IsLink = () =>
  forKind('link', LinkButton, ({ url }) => {
    const fault = urlFault(url);
    return fault === null ? null : `.url ${fault}`;
  });

/** Data goes to the screen that it fills, so it needs one. */
export const IsFlow = () =>
  forKind('flow', FlowButton, ({ screen, data }) => {
    if (!data) return null;
    if (Object.keys(data).length === 0) return '.data must not be empty: leave it out';
    if (!screen) return '.screen is required with data';
    const place = uncertainNumberIn(data);
    return place === null ? null : `.data${place} must not be a very large or very small number: send it as a string`;
  });

/** @returns the path of the first number that JSON.parse or JSON.stringify may change, such as `.items.0.price`; null without one */
function uncertainNumberIn(value: unknown): string | null {
  if (typeof value === 'number') return isCertain(value) ? null : '';
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    const place = uncertainNumberIn(member);
    if (place !== null) return `.${name}${place}`;
  }
  return null;
}

export const IsInteractiveBody = () =>
  HasShape(InteractiveContent.properties.body, (value, { kind }) =>
    (value as string).length > maxBodyOf(kind) ? `must have at most ${maxBodyOf(kind)} characters` : null,
  );

export const IsInteractiveFooter = () => HasShape(InteractiveContent.properties.footer, (_, { kind }) => plainFault(kind));

export const IsInteractiveHeader = () =>
  HasShape(InteractiveHeader, (value, { kind }) => {
    const { type, text, media_url, media_id } = value as Static<typeof InteractiveHeader>;
    if (kind === 'list' && type !== 'text') return '.type must be text for the kind list';
    if (type === 'text' && !text) return '.text is required for the type text';
    if (type !== 'text' && !media_url && !media_id) return `.media_url is required for the type ${type}, unless media_id names a file`;
    const stray = type === 'text' ? (media_url && 'media_url') || (media_id && 'media_id') : text && 'text';
    if (stray) return `.${stray} does not go with the type ${type}`;
    if (media_url && media_id) return '.media_id does not go with media_url: send one of the two';
    const fault = media_url ? urlFault(media_url) : null;
    return fault === null ? plainFault(kind) : `.media_url ${fault}`;
  });

/** WhatsApp shows a request for a location with its body only. */
function plainFault(kind: unknown): string | null {
  return kind === 'location_request' ? 'does not go with the kind location_request' : null;
}

/** WhatsApp needs a part of the name in addition to the formatted one. */
export function contactsFault(value: unknown): string | null {
  const bare = (value as ContactCards).findIndex(({ name: { formatted_name: _, ...parts } }) =>
    Object.values(parts).every((part) => !part),
  );
  return bare < 0 ? null : `.${bare}.name needs one of first_name, last_name, middle_name, suffix and prefix in addition to formatted_name`;
}

/** The index of the first value that an earlier one equals, or -1. */
function repeatedIn(values: string[]): number {
  return values.findIndex((value, i) => values.indexOf(value) < i);
}
