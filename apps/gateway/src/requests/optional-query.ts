import type { Operation, ResponseOf, RequestOf } from '@mgw/contracts';
import type { RpcClient } from '@mgw/rpc';

/** How long a response waits for an optional part, in milliseconds. */
const WAIT_MS = 1_000;

/** Queries a service for an optional part of a response. @returns null if the service does not respond in time */
export function queryOptional<O extends Operation>(rpc: RpcClient, operation: O, request: RequestOf<O>): Promise<ResponseOf<O> | null> {
  return rpc.call(operation, request, { deadlineAt: Date.now() + WAIT_MS }).catch(() => null);
}
