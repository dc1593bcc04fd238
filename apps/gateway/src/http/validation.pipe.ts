import { Injectable, SetMetadata, ValidationPipe, type ArgumentMetadata, type PipeTransform, type ValidationError } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { checkContent } from './json-body';
import { preparedCheck } from './prepared-check';

const LENIENT = 'ignores-unknown-fields';
const ABSENT = 'body-may-be-absent';

/** On a request class: members it does not know are dropped instead of refused (product decision 6). */
export const IgnoresUnknownFields = (): ClassDecorator => SetMetadata(LENIENT, true) as ClassDecorator;

/** On the class of an action's body: none at all is the same as one without members. */
export const MayBeAbsent = (): ClassDecorator => SetMetadata(ABSENT, true) as ClassDecorator;
export const mayBeAbsent = (body: object): boolean => Reflect.getMetadata(ABSENT, body) === true;

/** Checks bodies and queries against their class-validator classes; nothing is converted (product decision 7). */
@Injectable()
export class RequestPipe implements PipeTransform {
  private readonly strict = new ValidationPipe({ ...COMMON, forbidNonWhitelisted: true });
  private readonly lenient = new ValidationPipe(COMMON);
  private readonly prepared = new Map<unknown, ReturnType<typeof preparedCheck>>();

  async transform(given: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { type, metatype } = metadata;
    const value = given === undefined && metatype && mayBeAbsent(metatype) ? {} : given;
    if ((type !== 'body' && type !== 'query') || !metatype || metatype === Object) return value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new GatewayError('VALIDATION_FAILED', 'The body must be a JSON object.');
    }
    // Bodies were looked at when they were read. What is no field is looked at too, before it is dropped.
    if (type === 'query') checkContent(value, '');
    const taken = this.preparedFor(metatype as new () => object)?.(value as Record<string, unknown>);
    if (taken) return taken;
    const pipe = Reflect.getMetadata(LENIENT, metatype) ? this.lenient : this.strict;
    return (await pipe.transform(value, metadata)) as unknown;
  }

  private preparedFor(metatype: new () => object): ReturnType<typeof preparedCheck> {
    if (!this.prepared.has(metatype)) this.prepared.set(metatype, preparedCheck(metatype));
    return this.prepared.get(metatype) ?? null;
  }
}

const COMMON = {
  whitelist: true,
  transform: true,
  stopAtFirstError: true,
  forbidUnknownValues: false,
  exceptionFactory: (errors: ValidationError[]) => {
    const details = errors.flatMap((error) => detailsOf(error, ''));
    const summary = details.map(({ field, message }) => `${field} ${message}`).join('; ');
    return new GatewayError('VALIDATION_FAILED', `${summary}.`, { details });
  },
};

function detailsOf({ property, constraints = {}, children = [] }: ValidationError, path: string): { field: string; message: string }[] {
  const field = path ? `${path}.${property}` : property;
  const own = Object.entries(constraints).map(([name, text]) => ({ field, message: messageOf(name, text, property) }));
  return [...own, ...children.flatMap((child) => detailsOf(child, field))];
}

/** The field is named beside the message, so it is taken out of it. */
function messageOf(name: string, text: string, property: string): string {
  if (name === 'whitelistValidation') return 'is not known';
  return text.startsWith(`${property} `) ? text.slice(property.length + 1) : text;
}
