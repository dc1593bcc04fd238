import type { Static, TSchema } from '@sinclair/typebox';
import type { ErrorCode } from '@mgw/contracts';

export interface Description {
  summary: string;
  /** What a 200 carries. */
  reply: TSchema;
  /** Beside those that follow from the guards and the request's class. */
  errors: readonly ErrorCode[];
  /** Takes an Idempotency-Key; all that sends for an API key does. */
  repeatable?: boolean;
  /** What a `*` in the path stands for. */
  wildcard?: string;
  /** Of a 200, when it is not JSON. */
  contentType?: string;
}

const DESCRIPTION = 'openapi:description';

/**
 * On a method of a controller: what the API's document says of it. The compiler holds the method to the schema, and a test
 * holds live answers to the document.
 */
export function Responds<S extends TSchema>(reply: S, summary: string, more: Partial<Omit<Description, 'summary' | 'reply'>> = {}) {
  return <F extends (...args: never[]) => Promise<Static<S>>>(target: object, name: string | symbol, _: TypedPropertyDescriptor<F>) => {
    const description: Description = { summary, reply, errors: [], ...more };
    Reflect.defineMetadata(DESCRIPTION, description, target, name);
  };
}

export function descriptionOf(controller: { prototype: object }, method: string): Description | undefined {
  return Reflect.getMetadata(DESCRIPTION, controller.prototype, method) as Description | undefined;
}
