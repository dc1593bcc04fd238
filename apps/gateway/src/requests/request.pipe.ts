import { Injectable, SetMetadata, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { validate, type ValidationError } from 'class-validator';
import { didYouMean, nearest } from './did-you-mean';
import { checkContent } from './json-body';
import { fieldsOf, preparedCheck } from './prepared-check';

/** Checked before class-validator makes an error for each. */
const MOST_FIELDS = 1_000;
/** A body may have a thousand unknown fields: the first of them are enough. */
const MOST_DETAILS = 50;
const LENIENT = 'ignores-unknown-fields';
const ABSENT = 'body-may-be-absent';

/** On a request class: members it does not know are dropped instead of refused (product decision 6). */
export const IgnoresUnknownFields = (): ClassDecorator => SetMetadata(LENIENT, true) as ClassDecorator;

/** On the class of an action's body: none at all is the same as one without members. */
export const MayBeAbsent = (): ClassDecorator => SetMetadata(ABSENT, true) as ClassDecorator;
export const mayBeAbsent = (body: object): boolean => Reflect.getMetadata(ABSENT, body) === true;

/**
 * Checks bodies and queries against their class-validator classes; nothing is converted (product decision 7). No request's class holds
 * others, so a request is never copied deeper than its fields: class-transformer would copy every row of a list.
 */
@Injectable()
export class RequestPipe implements PipeTransform {
  private readonly prepared = new Map<unknown, ReturnType<typeof preparedCheck>>();

  async transform(given: unknown, { type, metatype }: ArgumentMetadata): Promise<unknown> {
    const value = given === undefined && metatype && mayBeAbsent(metatype) ? {} : given;
    if ((type !== 'body' && type !== 'query') || !metatype || metatype === Object) return value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new GatewayError('VALIDATION_FAILED', 'The body must be a JSON object.');
    }
    // BodyGuard checked bodies. Unknown fields are checked too, before they are dropped.
    if (type === 'query') checkContent(value);
    const taken = this.preparedFor(metatype as new () => object)?.(value as Record<string, unknown>);
    if (taken) return taken;
    if (Object.keys(value).length > MOST_FIELDS)
      throw new GatewayError('VALIDATION_FAILED', `A request has at most ${MOST_FIELDS} fields.`);
    const lenient = Reflect.getMetadata(LENIENT, metatype) === true;
    const checked = Object.assign(new (metatype as new () => object)(), value);
    const errors = await validate(checked, { ...OPTIONS, forbidNonWhitelisted: !lenient });
    if (errors.length > 0) throw refusal(errors, Object.keys(value), fieldsOf(metatype), lenient);
    return checked;
  }

  private preparedFor(metatype: new () => object): ReturnType<typeof preparedCheck> {
    if (!this.prepared.has(metatype)) this.prepared.set(metatype, preparedCheck(metatype));
    return this.prepared.get(metatype) ?? null;
  }
}

const OPTIONS = { whitelist: true, stopAtFirstError: true, forbidUnknownValues: false, validationError: { target: false, value: false } };

/** All that is wrong at once (product decision 2), each with the name that was probably meant (friendliness F7). No request's class holds others. */
function refusal(errors: ValidationError[], given: string[], known: Set<string>, lenient: boolean): GatewayError {
  const absent = [...known].filter((name) => !given.includes(name));
  // Others are refused themselves.
  const ignored = lenient ? given.filter((name) => !known.has(name)) : [];
  const details = errors.slice(0, MOST_DETAILS).flatMap(({ property: field, constraints = {} }) =>
    Object.entries(constraints).map(([name, text]) => {
      if (name === 'whitelistValidation') return { field, message: `is not known${didYouMean(field, absent)}` };
      const stray = absent.includes(field) ? nearest(field, ignored) : null;
      const meant = stray === null ? '' : ` (\`${stray}\` is not known: did you mean \`${field}\`?)`;
      return { field, message: `${withoutField(text, field)}${meant}` };
    }),
  );
  return new GatewayError('VALIDATION_FAILED', `${details.map(({ field, message }) => `${field} ${message}`).join('; ')}.`, { details });
}

/** The field is named beside the message, so it is taken out of it. */
const withoutField = (text: string, field: string): string => (text.startsWith(`${field} `) ? text.slice(field.length + 1) : text);
