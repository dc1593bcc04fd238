import { HttpCode } from '@nestjs/common';
import type { Static, TSchema } from '@sinclair/typebox';
import type { ErrorCode } from '@mgw/contracts';

export interface Description {
  summary: string;
  /** The schema of the body of a 200. */
  response: TSchema;
  /** Errors in addition to those of the guards and of the request class. */
  errors: readonly ErrorCode[];
  /** Whether the endpoint takes an Idempotency-Key. By default those that need a permission to send do. */
  repeatable?: boolean;
  /** The name of the parameter that `*` in the path takes. */
  wildcard?: string;
  /** Content type of a 200 if it is not JSON. */
  contentType?: string;
  /** Whether a query parameter requests the same list as CSV. */
  csv?: boolean;
  /** Whether the response is a file unless a query parameter requests its description. */
  file?: boolean;
  /** Whether the body is a file of any type. */
  takesFile?: boolean;
}

const DESCRIPTION = 'openapi:description';

/**
 * Documents a method of a controller in the OpenAPI document. The compiler checks the method against the schema, and a test checks live
 * responses against the document.
 */
export function Responds<S extends TSchema>(response: S, summary: string, more: Partial<Omit<Description, 'summary' | 'response'>> = {}) {
  return <F extends (...args: never[]) => Promise<Static<S>>>(
    target: object,
    name: string | symbol,
    method: TypedPropertyDescriptor<F>,
  ) => {
    const description: Description = { summary, response, errors: [], ...more };
    Reflect.defineMetadata(DESCRIPTION, description, target, name);
    // Nest's default for POST is 201.
    HttpCode(200)(target, name, method);
  };
}

export function descriptionOf(controller: { prototype: object }, method: string): Description | undefined {
  return Reflect.getMetadata(DESCRIPTION, controller.prototype, method) as Description | undefined;
}
