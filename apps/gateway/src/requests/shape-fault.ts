import { didYouMean } from '@mgw/contracts';
import type { Static, TSchema } from '@sinclair/typebox';

/** The keywords of JSON schema that the contents of messages use. */
interface Shape {
  type?: string;
  anyOf?: { const: unknown }[];
  properties?: Record<string, TSchema>;
  required?: string[];
  additionalProperties?: boolean;
  items?: TSchema;
  minItems?: number;
  maxItems?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
}

/**
 * Describes the first fault of a value, or returns null for a valid one. The fault of a nested value begins with its path, such as
 * `.sections.0.title must not be blank`. Unknown members are refused, because a misspelt one would be lost (decision 302).
 */
export function shapeFault(schema: TSchema, value: unknown): string | null {
  const shape = schema as Shape;
  if (shape.anyOf) return choiceFault(shape.anyOf, value);
  switch (shape.type) {
    case 'string':
      return textFault(shape, value);
    case 'number':
      return numberFault(shape, value);
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'array':
      return listFault(shape, value);
    default:
      return objectFault(shape, value);
  }
}

function choiceFault(choices: { const: unknown }[], value: unknown): string | null {
  const names = choices.map((choice) => choice.const);
  return names.includes(value) ? null : `must be one of ${names.join(', ')}`;
}

function textFault({ maxLength = Infinity, pattern }: Shape, value: unknown): string | null {
  if (typeof value !== 'string') return 'must be a string';
  if (value.trim() === '') return 'must not be blank';
  if (value.length > maxLength) return `must have at most ${maxLength} characters`;
  return pattern === undefined || new RegExp(pattern).test(value) ? null : `must match ${pattern}`;
}

function numberFault({ minimum, maximum }: Shape, value: unknown): string | null {
  if (typeof value !== 'number') return 'must be a number';
  return value < (minimum ?? -Infinity) || value > (maximum ?? Infinity) ? `must be between ${minimum} and ${maximum}` : null;
}

function listFault({ items, minItems = 0, maxItems = Infinity }: Shape, value: unknown): string | null {
  if (!Array.isArray(value)) return 'must be an array';
  if (value.length < minItems || value.length > maxItems) return `must have ${minItems} to ${maxItems} entries`;
  return firstFault(value.map((entry, i) => [String(i), () => shapeFault(items as TSchema, entry)]));
}

function objectFault({ properties = {}, required = [], additionalProperties }: Shape, value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  if (additionalProperties === true) return null;
  const members = value as Record<string, unknown>;
  const stray = Object.keys(members).find((name) => !Object.hasOwn(properties, name));
  if (stray !== undefined) return `.${stray.slice(0, 64)} is not known${didYouMean(stray, Object.keys(properties))}`;
  return firstFault(
    Object.entries(properties).map(([name, schema]) => [
      name,
      () => {
        if (!isAbsent(members[name])) return shapeFault(schema, members[name]);
        return required.includes(name) ? 'is required' : null;
      },
    ]),
  );
}

function firstFault(parts: [name: string, fault: () => string | null][]): string | null {
  for (const [name, find] of parts) {
    const fault = find();
    if (fault !== null) return `.${name}${fault.startsWith('.') ? '' : ' '}${fault}`;
  }
  return null;
}

/** Null in an optional member means the same as leaving it out (decision 44). */
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** A copy of a valid value with the schema's members only, and without nulls. */
export function shaped<S extends TSchema>(schema: S, value: unknown): Static<S> {
  const { type, items, properties = {}, additionalProperties } = schema as Shape;
  if (type === 'array') return (value as unknown[]).map((entry) => shaped(items as TSchema, entry)) as Static<S>;
  if (type !== 'object' || additionalProperties === true) return value as Static<S>;
  const members = value as Record<string, unknown>;
  const present = Object.entries(properties).filter(([name]) => !isAbsent(members[name]));
  return Object.fromEntries(present.map(([name, member]) => [name, shaped(member, members[name])])) as Static<S>;
}
