import { GatewayError, isNoResponse, type Operation, type ResponseOf, type RequestOf } from '@mgw/contracts';
import type { RpcClient, RpcContext } from '@mgw/rpc';

/** A service that hangs must leave the send enough time to finish. */
const RESPONSE_TIMEOUT_MS = 2_000;

/**
 * Calls a service whose data a send needs before it writes the intent.
 * @throws GatewayError OVERLOADED if the service does not respond; nothing was sent
 */
export async function requiredCall<O extends Operation>(
  rpc: RpcClient,
  operation: O,
  request: RequestOf<O>,
  context?: RpcContext,
): Promise<ResponseOf<O>> {
  const deadlineAt = Math.min(context?.deadlineAt ?? Infinity, Date.now() + RESPONSE_TIMEOUT_MS);
  try {
    return await rpc.call(operation, request, { ...context, deadlineAt });
  } catch (error) {
    if (isNoResponse(error))
      throw new GatewayError('OVERLOADED', 'A required service did not respond, so nothing was sent. Try again shortly.');
    throw error;
  }
}
