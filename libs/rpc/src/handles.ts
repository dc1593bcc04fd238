import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { Operation, ReplyOf, RequestOf } from '@mgw/contracts';
import type { RpcContext } from './context';

/** A handler's result. It carries failures as values, because Nest would turn a thrown error into "Internal server error". */
export type Handled = { reply: unknown } | { failure: unknown };

type HandlerMethod<O extends Operation> = (request: RequestOf<O>, context: RpcContext) => Promise<ReplyOf<O>>;

/**
 * Makes a controller's method the handler of an operation: `@Handles(SendText) send(request, context) {…}`. The compiler checks the method
 * against the contract, and the server validates the request before it calls the method.
 */
export function Handles<O extends Operation>(operation: O) {
  return <M extends HandlerMethod<O>>(target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<M>): void => {
    const method = descriptor.value as M;
    const withResult = async function (this: unknown, request: RequestOf<O>, context: RpcContext): Promise<Handled> {
      try {
        return { reply: await method.call(this, request, context) };
      } catch (failure) {
        return { failure };
      }
    };
    descriptor.value = withResult as unknown as M;
    Payload()(target, key, 0);
    Ctx()(target, key, 1);
    MessagePattern(operation.subject, { operation })(target, key, descriptor);
  };
}
