import type { Operation, ReplyOf, RequestOf } from '@mgw/contracts';
import type { RpcClient } from '@mgw/rpc';

/** How long an answer waits for what it can be shown without, in milliseconds. */
const WAIT_MS = 1_000;

/** Asks another service for its part of an answer. @returns null when it does not say in time: that part is not known now */
export function queryOptional<O extends Operation>(rpc: RpcClient, operation: O, request: RequestOf<O>): Promise<ReplyOf<O> | null> {
  return rpc.call(operation, request, { deadlineAt: Date.now() + WAIT_MS }).catch(() => null);
}
