import type { Static, TSchema } from '@sinclair/typebox';
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler';

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();

/** Compiles a schema once; every later check of it is a plain function call. */
function checkerOf(schema: TSchema): TypeCheck<TSchema> {
  let checker = compiled.get(schema);
  if (!checker) compiled.set(schema, (checker = TypeCompiler.Compile(schema)));
  return checker;
}

/** Whether a value has the contract's shape. Accepts unknown members, because during an update a newer service may send more. */
export function matches<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return checkerOf(schema).Check(value);
}

/** The first difference from the contract's shape, as `/path: reason`, or null. */
export function mismatch(schema: TSchema, value: unknown): string | null {
  const first = checkerOf(schema).Errors(value).First();
  return first ? `${first.path || '/'}: ${first.message}` : null;
}
