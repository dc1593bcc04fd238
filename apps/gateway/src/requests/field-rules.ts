import { applyDecorators } from '@nestjs/common';
import type { TSchema } from '@sinclair/typebox';
import { IsIn, IsOptional, registerDecorator, ValidateIf } from 'class-validator';
import type { SchemaObject } from 'openapi3-ts';
import { matches, MAX_IMPORTED, MAX_RECIPIENTS, MAX_STATUSES, MessageId, urlFault, type MediaType } from '@mgw/contracts';
import { isBusinessScopedId, normalizePhone } from '@mgw/phone';
import { CHECKS_NESTED } from './prepared-check';
import { splitParams } from './quick-params';
import { shapeFault } from './shape-fault';

/** The language of a template when the request names none (spec §4.3, §4.4, §4.7). */
export const DEFAULT_LANGUAGE = 'en';

const MAX_PARAMS = 50;
/** Characters of a template variable. */
export const MAX_PARAM_LENGTH = 1_024;
const MAX_TEXT = 4_096;
const MAX_URL = 2_048;
const MAX_CAPTION = 1_024;
const MAX_FILENAME = 255;
/** The platform refuses variables with these characters (platform §1.4). */
const REFUSED_BY_PLATFORM = /[\n\t]| {5}/;

/** Describes the fault of a value, or returns null for a valid one. */
type FindFault = (value: unknown, request: { media_type?: unknown; media_id?: unknown; kind?: unknown }) => string | null;

/** Makes a decorator of class-validator. */
export function rule(name: string, findFault: FindFault, constraints: unknown[] = []): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name,
      constraints,
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: (value: unknown, args) => findFault(value, args?.object ?? {}) === null,
        defaultMessage: (args) => findFault(args?.value, args?.object ?? {}) ?? '',
      },
    });
}

function textFault(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string') return 'must be a string';
  if (value.trim() === '') return 'must not be blank';
  return isLonger(value, maxLength) ? `must have at most ${maxLength} characters` : null;
}

/** Counts characters only if there are enough code units. */
export function isLonger(text: string, most: number): boolean {
  return text.length > most && [...text].length > most;
}

/** A field that may be absent or null; the rules check every other value. Decorators apply from the last to the first. */
export const Optional = (...rules: PropertyDecorator[]) => applyDecorators(...[IsOptional(), ...rules].reverse());

export const IsOneOf = (values: readonly unknown[]) => IsIn([...values], { message: `$property must be one of ${values.join(', ')}` });
export const IsListFormat = () => Optional(IsIn(['json', 'csv'], { message: 'format must be json or csv' }));

/** A list with at least one of the values. Duplicates pass, at most `MAX_CHOICES`. */
export const AreSomeOf = (values: readonly string[]) =>
  rule(
    'areSomeOf',
    (value) => {
      if (!Array.isArray(value)) return 'must be an array';
      if (value.length === 0) return `must have at least one of ${values.join(', ')}`;
      if (value.length > MAX_CHOICES) return `must have at most ${MAX_CHOICES} entries`;
      return value.every((one) => values.includes(one as string)) ? null : `must have only some of ${values.join(', ')}`;
    },
    [values],
  );
const MAX_CHOICES = 50;

/** A whole number in a query, where every value is text. @param fault completes the name of the field */
export const IsNumberText = (minimum: number, maximum: number, fault = `must be a whole number from ${minimum} to ${maximum}`) =>
  rule(
    'isNumberText',
    (value) => {
      const isOne = typeof value === 'string' && /^(0|[1-9]\d{0,14})$/.test(value) && Number(value) >= minimum && Number(value) <= maximum;
      return isOne ? null : fault;
    },
    [minimum, maximum],
  );
/** The longest number that every service can read. */
export const MAX_NUMBER_TEXT = 999_999_999_999_999;
export const IsIdText = () => IsNumberText(1, MAX_NUMBER_TEXT, 'must be a whole number');

/** Spec §2.1, decision 8. */
export const IsRecipient = () =>
  rule('isRecipient', (value) => {
    if (typeof value !== 'string') return 'must be a string';
    const phone = normalizePhone(value);
    return phone.ok ? null : phone.reason;
  });

/** A name, which is not only spaces (decision 758). Whether a template or a language exists is checked later. */
export const IsName = (maxLength: number) => rule('isName', (value) => textFault(value, maxLength), [maxLength]);

/** Decision 10. */
export const IsMessageText = () => rule('isMessageText', (value) => textFault(value, MAX_TEXT));

/** Decision 15. */
export const IsParams = () => rule('isParams', paramsFault);

/** Values of variables in one text (decision 12). */
export const IsQuickParams = () =>
  rule('isQuickParams', (value) => (typeof value === 'string' ? paramsFault(splitParams(value)) : 'must be a string'));

/** Completes "must hold …" for values of template variables. */
export const PARAMS_HOLD = `strings of at most ${MAX_PARAM_LENGTH} characters, or numbers: very large and very small ones as strings`;

/** Whether a number keeps its text (decision 107): it is within the safe integers, and written without an exponent. */
export function isCertain(number: number): boolean {
  return /^-?[\d.]+$/.test(String(number)) && Math.abs(number) <= Number.MAX_SAFE_INTEGER;
}

export function isParam(param: unknown): boolean {
  if (typeof param === 'string') return !isLonger(param, MAX_PARAM_LENGTH);
  return typeof param === 'number' && isCertain(param);
}

function paramsFault(value: unknown): string | null {
  if (!Array.isArray(value)) return 'must be an array';
  if (value.length > MAX_PARAMS) return `must have at most ${MAX_PARAMS} entries`;
  const wrong = value.findIndex((param) => !isParam(param));
  if (wrong >= 0) return `must hold ${PARAMS_HOLD} (value ${wrong + 1} is neither)`;
  const empty = value.findIndex((param) => String(param).trim() === '');
  if (empty >= 0) return `must not hold empty values: the platform refuses them (value ${empty + 1})`;
  const refused = value.findIndex((param) => REFUSED_BY_PLATFORM.test(String(param)));
  return refused < 0
    ? null
    : `must not hold newlines, tabs or more than 4 spaces in a row: the platform refuses them (value ${refused + 1})`;
}

/** Refuses business-scoped user ids: codes go to phones only (decision 8). */
export const IsPhoneNumber = () =>
  rule('isPhoneNumber', (value) =>
    typeof value === 'string' && isBusinessScopedId(value) ? 'must be a phone number: codes go to phones only' : null,
  );

/** Decision 17. */
const CODE = /^[0-9A-Za-z-]{1,15}$/;
export const IsCode = () =>
  rule('isCode', (value) => {
    if (typeof value !== 'string') return 'must be a string';
    return CODE.test(value) ? null : 'must be 1 to 15 letters, digits or hyphens';
  });

const MEDIA_TYPES: readonly MediaType[] = ['image', 'document', 'video', 'audio'];
export const IsMediaType = () => IsOneOf(MEDIA_TYPES);

/** Decisions 16 and 50. Required without `media_id`. */
export const IsMediaUrl = () =>
  applyDecorators(
    ValidateIf(({ media_id }: { media_id?: unknown }, value: unknown) => isGiven(value) || !isGiven(media_id)),
    rule('isMediaUrl', (value, { media_id }) => {
      if (typeof value !== 'string') return 'must be a URL, unless media_id names a file';
      if (isGiven(media_id)) return 'does not go with media_id: send one of the two';
      return value.length > MAX_URL ? `must be a URL of at most ${MAX_URL} characters` : urlFault(value);
    }),
  );

/** Null means the same as leaving a field out (decision 44). */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** The platform cannot carry a caption with audio (decision 16). */
export const IsCaption = () =>
  rule('isCaption', (value, { media_type }) => {
    if (typeof value !== 'string') return 'must be a string';
    if (isLonger(value, MAX_CAPTION)) return `must have at most ${MAX_CAPTION} characters`;
    return media_type === 'audio' ? 'cannot go with audio: the platform does not carry it' : null;
  });

/** Checked only for documents; ignored for other media (decision 16). */
export const IsFilename = () =>
  rule('isFilename', (value, { media_type }) =>
    typeof value === 'string' && media_type !== 'document' ? null : textFault(value, MAX_FILENAME),
  );

/** The content of a message (libs/contracts/src/message-content.ts). @param moreFaults finds faults that a schema cannot state */
export const HasShape = (schema: TSchema, moreFaults: FindFault = () => null) =>
  rule('hasShape', (value, request) => shapeFault(schema, value) ?? moreFaults(value, request), [schema, CHECKS_NESTED]);

/** Whether the message belongs to the person is checked later. */
export const IsMessageId = () => rule('isMessageId', (value) => (matches(MessageId, value) ? null : 'must be the id of a message'));

/** Marks a request that is only checked (decision 332). In a query it is text. */
export const IsDryRun = () => Optional(rule('isDryRun', (value) => (typeof value === 'boolean' ? null : 'must be true or false')));
export const IsQuickDryRun = () =>
  Optional(rule('isQuickDryRun', (value) => (value === QUICK_DRY_RUN ? null : `must be ${QUICK_DRY_RUN}`)));
const QUICK_DRY_RUN = '1';
/** @param request a checked one */
export const isDryRun = ({ dry_run }: { dry_run?: unknown }): boolean => dry_run === true || dry_run === QUICK_DRY_RUN;

/** WhatsApp takes voice notes as audio only. */
export const IsVoice = () =>
  rule('isVoice', (value, { media_type }) => {
    if (typeof value !== 'boolean') return 'must be true or false';
    return value && media_type !== 'audio' ? 'goes with audio only' : null;
  });

const MAX_EMOJI = 32;
/** One character as a person sees it, which is an emoji, a flag or a keycap. Null removes a reaction. */
export const IsEmojiOrNull = () =>
  rule('isEmojiOrNull', (value) => {
    if (value === null) return null;
    const isOne = typeof value === 'string' && value.length <= MAX_EMOJI && [...new Intl.Segmenter().segment(value)].length === 1;
    return isOne && /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(value)
      ? null
      : 'must be one emoji, or null to remove the reaction';
  });

const DRY_RUN = 'Makes all checks and sends nothing; the response lists what would refuse the message.';

export const BODY_PARAMS = 'The values of `{{1}}`, `{{2}}` and so on in the body, in their order.';
export const HEADER_PARAMS = 'The values of the header: of its variable, or the http or https address of its image, video or document.';
export const BUTTON_PARAMS = 'The values of buttons whose address has a variable, in their order.';
export const SUPPRESSION_STATE = '`opted_out_marketing` refuses templates of the category MARKETING, the others refuse every message.';
export const SUPPRESSION_REASON = 'Why, for people who read the list later.';
const rowValues = (description: string): SchemaObject => ({
  type: 'array',
  items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  description,
});

/** The rules by name, as schemas of the OpenAPI document. */
export const FIELD_RULE_SCHEMAS: Record<string, SchemaObject | ((meta: { constraints: unknown[] }) => SchemaObject)> = {
  isRecipient: {
    type: 'string',
    description:
      'A phone number with its country code, or a business-scoped user id. Spaces, hyphens and parentheses are ignored. Ten digits that ' +
      'begin with 6, 7, 8 or 9 count as Indian and get the prefix 91, unless they have a leading +. Send numbers with + and ' +
      'country code (`%2B` in a query).',
    example: '+91 98765 43210',
  },
  isPhoneNumber: { description: 'A phone number with its country code: codes go to phones only.' },
  areSomeOf: ({ constraints: [values] }) => ({
    items: { type: 'string', enum: values as string[] },
    type: 'array',
    maxItems: MAX_CHOICES,
    minItems: 1,
  }),
  isNumberText: ({ constraints: [minimum, maximum] }) => ({ type: 'integer', minimum: minimum as number, maximum: maximum as number }),
  isCode: { type: 'string', pattern: CODE.source, description: 'The code; without it the gateway generates six digits.' },
  isName: ({ constraints }) => ({ type: 'string', minLength: 1, maxLength: constraints[0] as number }),
  isMessageText: { type: 'string', minLength: 1, maxLength: MAX_TEXT, description: 'The text, which is not only spaces.' },
  isParams: {
    type: 'array',
    maxItems: MAX_PARAMS,
    items: { anyOf: [{ type: 'string', minLength: 1, maxLength: MAX_PARAM_LENGTH }, { type: 'number' }] },
  },
  isRecipients: {
    type: 'array',
    minItems: 1,
    maxItems: MAX_RECIPIENTS,
    description: 'The people, each of them once, in place of `csv`.',
    items: {
      type: 'object',
      required: ['phone'],
      properties: {
        phone: { type: 'string', description: 'With + and country code, or a business-scoped user id.' },
        body_params: rowValues(BODY_PARAMS),
        header_params: rowValues(HEADER_PARAMS),
        button_params: rowValues(BUTTON_PARAMS),
      },
    },
  },
  isImport: {
    type: 'array',
    minItems: 1,
    maxItems: MAX_IMPORTED,
    description: 'The people. A row with a fault does not refuse the others.',
    items: {
      type: 'object',
      required: ['phone', 'state'],
      properties: {
        phone: { type: 'string', description: 'With + and country code, or a business-scoped user id.' },
        state: { type: 'string', enum: ['opted_out', 'blocked', 'opted_out_marketing'], description: SUPPRESSION_STATE },
        reason: { type: 'string', maxLength: 500, description: SUPPRESSION_REASON },
        since: { type: 'string', format: 'date-time', description: 'When the suppression began; now by default.' },
      },
    },
  },
  areMessageIds: { type: 'array', minItems: 1, maxItems: MAX_STATUSES, items: { type: 'string' }, description: 'Ids that sends returned.' },
  isQuickParams: { type: 'string', description: 'Values separated by commas; `\\,` is a comma and `\\\\` a backslash in a value.' },
  isMediaUrl: { type: 'string', format: 'uri', maxLength: MAX_URL, description: 'http or https; the platform fetches it.' },
  isFilename: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_FILENAME,
    description: 'The name that the recipient sees; for documents only.',
  },
  hasShape: ({ constraints }) => JSON.parse(JSON.stringify(constraints[0])) as SchemaObject,
  isMessageId: { type: 'string', description: 'The id of a message from or to this person.' },
  isDryRun: { type: 'boolean', description: DRY_RUN },
  isQuickDryRun: { type: 'string', const: '1', description: DRY_RUN } as SchemaObject,
  isVoice: { type: 'boolean', description: 'True for a voice note: OGG with Opus.' },
  isEmojiOrNull: {
    anyOf: [{ type: 'string', maxLength: MAX_EMOJI }, { type: 'null' }],
    description: 'One emoji; null removes the reaction.',
  },
  isCaption: { type: 'string', maxLength: MAX_CAPTION, description: 'For image, video and document.' },
};
