import { GatewayError, isNoAnswer, type Operation, type ReplyOf, type RequestOf } from '@mgw/contracts';
import type { RpcClient, RpcContext } from '@mgw/rpc';

/** A neighbour that hangs must not take all the time that a send has. */
const RESPONSE_TIMEOUT_MS = 2_000;

/** Asks a neighbour for what a send needs before its intent is written. @throws GatewayError OVERLOADED without an answer: nothing was sent */
export async function requiredCall<O extends Operation>(
  rpc: RpcClient,
  operation: O,
  request: RequestOf<O>,
  context?: RpcContext,
): Promise<ReplyOf<O>> {
  const deadlineAt = Math.min(context?.deadlineAt ?? Infinity, Date.now() + RESPONSE_TIMEOUT_MS);
  try {
    return await rpc.call(operation, request, { ...context, deadlineAt });
  } catch (error) {
    if (isNoAnswer(error))
      throw new GatewayError('OVERLOADED', 'What is needed to send could not be asked for; nothing was sent. Try again shortly.');
    throw error;
  }
}
