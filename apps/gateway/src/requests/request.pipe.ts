import { Injectable, SetMetadata, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { GatewayError, didYouMean, nearest } from '@mgw/contracts';
import { validate, type ValidationError } from 'class-validator';
import { checkContent } from './json-body';
import { DRY_RUN_FAULT, takesDryRuns } from './dry-run';
import { isDryRun } from './field-rules';
import { fieldsOf, preparedCheck } from './prepared-check';

/** Limits the errors that class-validator creates. */
const MAX_FIELDS = 1_000;
/** Maximum number of fields that a refusal names. */
const MAX_DETAILS = 50;
const LENIENT = 'ignores-unknown-fields';
const ABSENT = 'body-may-be-absent';

/** Marks a request class whose unknown members are dropped instead of refused (decision 6). */
export const IgnoresUnknownFields = (): ClassDecorator => SetMetadata(LENIENT, true) as ClassDecorator;

export const ignoresUnknownFields = (type: object): boolean => Reflect.getMetadata(LENIENT, type) === true;

/** Marks the class of an optional body: an absent body equals an empty one. */
export const MayBeAbsent = (): ClassDecorator => SetMetadata(ABSENT, true) as ClassDecorator;
export const mayBeAbsent = (body: object): boolean => Reflect.getMetadata(ABSENT, body) === true;

/**
 * Checks bodies and queries against their class-validator classes and converts nothing (decision 7). Copies only the top level, because
 * request classes are flat; class-transformer would copy every row of a list.
 */
@Injectable()
export class RequestPipe implements PipeTransform {
  private readonly prepared = new Map<unknown, ReturnType<typeof preparedCheck>>();

  async transform(input: unknown, { type, metatype }: ArgumentMetadata): Promise<unknown> {
    const value = input === undefined && metatype && mayBeAbsent(metatype) ? {} : input;
    if ((type !== 'body' && type !== 'query') || !metatype || metatype === Object) return value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new GatewayError('VALIDATION_FAILED', 'The body must be a JSON object.');
    }
    // BodyGuard has checked bodies. This includes unknown fields, which are dropped later.
    if (type === 'query') checkContent(value);
    const valid = this.preparedFor(metatype as new () => object)?.(value as Record<string, unknown>);
    if (valid) return valid;
    if (Object.keys(value).length > MAX_FIELDS) throw new GatewayError('VALIDATION_FAILED', `A request has at most ${MAX_FIELDS} fields.`);
    const lenient = ignoresUnknownFields(metatype);
    const checked = Object.assign(new (metatype as new () => object)(), value);
    const errors = await validate(checked, { ...OPTIONS, forbidNonWhitelisted: !lenient });
    if (errors.length === 0) return checked;
    const fault = refusal(errors, value as Record<string, unknown>, { known: fieldsOf(metatype), lenient, isQuery: type === 'query' });
    if (!takesDryRuns(metatype) || !isDryRun(checked)) throw fault;
    return Object.assign(checked, { [DRY_RUN_FAULT]: fault });
  }

  private preparedFor(metatype: new () => object): ReturnType<typeof preparedCheck> {
    if (!this.prepared.has(metatype)) this.prepared.set(metatype, preparedCheck(metatype));
    return this.prepared.get(metatype) ?? null;
  }
}

const OPTIONS = { whitelist: true, forbidUnknownValues: false, validationError: { target: false, value: false } };

/** A value of another type fails rules about size and items as well, whose messages would mislead. */
const TYPE_RULES = ['isArray', 'isString', 'isInt', 'isBoolean'];

/** Lists the wrong fields at once (decision 2), each with one fault and the most similar field name. */
function refusal(
  errors: ValidationError[],
  input: Record<string, unknown>,
  { known, lenient, isQuery }: { known: Set<string>; lenient: boolean; isQuery: boolean },
): GatewayError {
  const present = Object.keys(input);
  const absent = [...known].filter((name) => !present.includes(name));
  // A strict class refuses unknown fields, so only a lenient one ignores them.
  const ignored = lenient ? present.filter((name) => !known.has(name)) : [];
  const details = errors.slice(0, MAX_DETAILS).map(({ property: field, constraints = {} }) => {
    if ('whitelistValidation' in constraints) return { field, message: `is not known${didYouMean(field, absent)}` };
    // The parser makes a list of a parameter that comes twice (decision 11).
    if (isQuery && Array.isArray(input[field])) return { field, message: 'must be given once' };
    const failed = Object.keys(constraints);
    const text = constraints[TYPE_RULES.find((name) => failed.includes(name)) ?? failed[0] ?? ''] ?? '';
    const { path, message } = splitPath(withoutField(text, field));
    if (!absent.includes(field)) return { field: `${field}${path}`, message };
    const stray = nearest(field, ignored);
    const suggestion = stray === null ? '' : ` (\`${stray}\` is not known: did you mean \`${field}\`?)`;
    return { field, message: `${message.startsWith('is required') ? '' : 'is required and '}${message}${suggestion}` };
  });
  return new GatewayError('VALIDATION_FAILED', `${details.map(({ field, message }) => `${field} ${message}`).join('; ')}.`, { details });
}

/** Removes the field name from a message that appears next to it. */
const withoutField = (text: string, field: string): string => (text.startsWith(`${field} `) ? text.slice(field.length + 1) : text);

/** The fault of a nested member begins with its path (shape-fault.ts). */
function splitPath(text: string): { path: string; message: string } {
  const [, path = '', message = text] = /^((?:\.[^\s.]+)+) (.*)$/s.exec(text) ?? [];
  return { path, message };
}
