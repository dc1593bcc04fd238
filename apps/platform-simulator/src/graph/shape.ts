import { Type, type Static, type TProperties, type TSchema } from '@sinclair/typebox';
import { matches, mismatch } from '@mgw/contracts';
import { GraphFailure } from '../graph-error';

/** Refuses unknown members, like the platform. */
export const strict = <T extends TProperties>(properties: T) => Type.Object(properties, { additionalProperties: false });

export const text = (most: number, least = 1) => Type.String({ minLength: least, maxLength: most });

/**
 * Checks a value against a schema.
 * @param name of the parameter in the platform's error, for example `audio` in `Unexpected key "caption" on param "audio"`; empty for
 * the request itself
 * @throws GraphFailure 100
 */
export function checkShape<S extends TSchema>(schema: S, value: unknown, name: string): Static<S> {
  if (matches(schema, value)) return value;
  const [path = '', reason = 'is not valid'] = (mismatch(schema, value) ?? '').split(/: (.*)/s);
  throw new GraphFailure(100, problem(name, path, reason));
}

function problem(name: string, path: string, reason: string): string {
  const keys = path.split('/').slice(1).filter(Boolean);
  const param = (parts: string[]) =>
    [name, ...parts].filter(Boolean).reduce((whole, key) => `${whole}[${/^\d+$/.test(key) ? key : `'${key}'`}]`);
  if (reason === 'Unexpected property') return `Unexpected key "${keys.at(-1) ?? ''}" on param "${[name, ...keys].at(-2) || 'message'}".`;
  if (reason === 'Expected required property') return `The parameter ${param(keys)} is required.`;
  return `Param ${param(keys)} is not valid: ${reason}.`;
}
