import { Injectable } from '@nestjs/common';
import {
  GatewayError,
  newIntentId,
  type ReplyOf,
  type RequestOf,
  type Sender,
  type SendMedia,
  type SendOtp,
  type SendTemplate,
  type SendText,
} from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { secondsToReset, zoneInForce } from '../businesses/zones';
import type { Caller } from '../access/rest-api';
import type { KeyAccess } from '../api-keys/key-access';
import { idempotencyOf } from './idempotency';
import { sendResult, unsureIsUnknown } from './send-result';

type SendOperation = typeof SendMedia | typeof SendOtp | typeof SendTemplate | typeof SendText;

/** `idempotencyKey`: where it is not the header. */
type SendingCaller = Caller & { idempotencyKey?: string | undefined };

/** What every send endpoint has in common (spec §2.2). */
@Injectable()
export class SendsService {
  constructor(private readonly rpc: RpcClient) {}

  /** @returns what every send result has (spec §2.2), and the service's own answer */
  async send<O extends SendOperation>(operation: O, message: Omit<RequestOf<O>, 'sender'>, caller: SendingCaller) {
    const { key, request, reply, idempotencyKey = request.headers['idempotency-key'] } = caller;
    const sender = senderOf(key, idempotencyOf(idempotencyKey, operation.subject, message));
    const context = { requestId: request.id, deadlineAt: Date.now() + operation.deadlineMs };
    const sent: ReplyOf<O> = await this.rpc
      .call(operation, { ...message, sender } as RequestOf<O>, context)
      .catch(resetsWithNewZone(key))
      .catch(unsureIsUnknown(sender));
    if (sent.replayed) void reply.header('idempotency-replayed', 'true');
    return { result: sendResult(sent), sent };
  }
}

function senderOf({ api_key_id, daily_limit, business }: KeyAccess, idempotency: Sender['idempotency']) {
  const { id: business_id, plan, zones } = business;
  const timezone = zoneInForce(zones);
  return { business_id, sent_by: 'api' as const, intent_id: newIntentId(), api_key_id, plan, daily_limit, timezone, idempotency };
}

/** The send service knows the midnight of the zone in force; while a change of zone is under way the cap may reset later. */
function resetsWithNewZone({ business }: KeyAccess) {
  return (error: unknown): never => {
    const retry_after_seconds = secondsToReset(business.zones);
    if (!(error instanceof GatewayError) || error.error_code !== 'DAILY_LIMIT_REACHED' || retry_after_seconds === null) throw error;
    throw new GatewayError('DAILY_LIMIT_REACHED', error.message, { ...error.extras, retry_after_seconds }, error.status);
  };
}
