import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { Operation, ResponseOf, RequestOf } from '@mgw/contracts';
import type { RpcContext } from './context';

/** A handler's result. It carries failures as values, because Nest would turn a thrown error into "Internal server error". */
export type Handled = { response: unknown } | { failure: unknown };

/** Handles the requests of an operation. If the response has no members, the handler may return nothing. */
export type Handler<O extends Operation> = (
  request: RequestOf<O>,
  context: RpcContext,
) => Promise<ResponseOf<O> | (object extends ResponseOf<O> ? void : never)>;

/**
 * Makes a member of a controller the handler of an operation: a method, or `@Handles(SendText) send: Handler<typeof SendText> = (request) => …`.
 * The compiler checks the member against the contract, and the server validates the request before it calls it.
 */
export function Handles<O extends Operation>(operation: O) {
  return <K extends string>(controller: Record<K, Handler<O>>, key: K, method?: PropertyDescriptor): void => {
    const handler = method?.value as Handler<O> | undefined;
    const withResult = async function (this: Record<K, Handler<O>>, request: RequestOf<O>, context: RpcContext): Promise<Handled> {
      try {
        return { response: (await (handler ?? this[key]).call(this, request, context)) ?? {} };
      } catch (failure) {
        return { failure };
      }
    };
    // Nest finds methods of the prototype only, so a property gets one that calls it.
    const name = method ? key : `handle ${operation.subject}`;
    const descriptor = { ...method, value: withResult, writable: true, configurable: true };
    if (method) method.value = withResult;
    else Object.defineProperty(controller, name, descriptor);
    Payload()(controller, name, 0);
    Ctx()(controller, name, 1);
    MessagePattern(operation.subject, { operation })(controller, name, descriptor);
  };
}
