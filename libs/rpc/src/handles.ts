import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { Operation, ReplyOf, RequestOf } from '@mgw/contracts';
import type { RpcContext } from './context';

/** What a handler did, as the server gets it: Nest would turn a thrown error into "Internal server error". */
export type Handled = { reply: unknown } | { failure: unknown };

type HandlerMethod<O extends Operation> = (request: RequestOf<O>, context: RpcContext) => Promise<ReplyOf<O>>;

/**
 * Marks a controller's method as the answer to an operation: `@Handles(SendText) send(request, context) {…}`. The compiler
 * holds the method to the contract; the server has checked the request before the method sees it.
 */
export function Handles<O extends Operation>(operation: O) {
  return <M extends HandlerMethod<O>>(target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<M>): void => {
    const method = descriptor.value as M;
    const settled = async function (this: unknown, request: RequestOf<O>, context: RpcContext): Promise<Handled> {
      try {
        return { reply: await method.call(this, request, context) };
      } catch (failure) {
        return { failure };
      }
    };
    descriptor.value = settled as unknown as M;
    Payload()(target, key, 0);
    Ctx()(target, key, 1);
    MessagePattern(operation.subject, { operation })(target, key, descriptor);
  };
}
