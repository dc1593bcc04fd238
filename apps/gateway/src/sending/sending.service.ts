import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  CheckSend,
  GatewayError,
  newIntentId,
  type Plan,
  type ResponseOf,
  type RequestOf,
  type SendContacts,
  type SendContent,
  type Sender,
  type SendInteractive,
  type SendLocation,
  type SendMedia,
  type SendOtp,
  type SendReaction,
  type SendTemplate,
  type SendText,
  gatewayMessageId,
  isNoResponse,
} from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { secondsToReset, zoneInForce, type Zones } from '../businesses/zones';
import { idempotencyOf, markReplayed } from '../requests/idempotency';

const NOTE = 'Accepted by the messaging platform, which is not delivery: follow it with GET /message-status/{message_id}.';

/** The members of every send result (spec §2.2). */
function sendResult({ message_id, phone }: { message_id: string; phone: string }) {
  return { success: true as const, message_id, phone, delivery_status: 'queued' as const, note: NOTE };
}

/** Maps a missing response of the send service to OUTCOME_UNKNOWN: the message may have been sent (decision 23). */
function asOutcomeUnknown({ intent_id, idempotency }: Sender & { intent_id: string }) {
  return (error: unknown): never => {
    if (!isNoResponse(error)) throw error;
    const hint = idempotency
      ? 'Repeat the request with the same Idempotency-Key: it is not sent twice.'
      : 'Check the status of this message_id before you send it again.';
    const message = 'The send was interrupted, so the message may have been sent. The gateway does not retry it.';
    throw new GatewayError('OUTCOME_UNKNOWN', message, { message_id: gatewayMessageId(intent_id), hint });
  };
}

export type SendOperation =
  | typeof SendContacts
  | typeof SendInteractive
  | typeof SendLocation
  | typeof SendMedia
  | typeof SendOtp
  | typeof SendReaction
  | typeof SendTemplate
  | typeof SendText;

/** The parts of a request that the gateway could read; null for invalid ones. */
interface ReadSend<O extends SendOperation> {
  to: string | null;
  message: ContentOf<O> | null;
}
export type ContentOf<O extends SendOperation> = Omit<RequestOf<O>, 'sender' | 'to'>;

/** An API key, or a user of the business, who has neither a key nor a daily cap. */
interface SendingParty {
  /** The key as which the sends count. */
  sends_as: number | null;
  daily_limit: number | null;
  /** The user, if a person sends. */
  user_id?: number;
  business: { id: number; plan: Plan; zones: Zones };
}

interface SendingCaller {
  party: SendingParty;
  request: FastifyRequest;
  reply: FastifyReply;
  /** Replaces the header `Idempotency-Key`. */
  idempotencyKey?: string | undefined;
}

/** Every send that starts with an HTTP request goes through here (spec §2.2). */
@Injectable()
export class SendingService {
  constructor(private readonly rpc: RpcClient) {}

  /** @returns the result that all sends share (spec §2.2), and the send service's own response */
  async send<O extends SendOperation>(operation: O, message: Omit<RequestOf<O>, 'sender'>, caller: SendingCaller) {
    const { party, request, reply, idempotencyKey = request.headers['idempotency-key'] } = caller;
    const sender = senderOf(party, idempotencyOf(idempotencyKey, operation.subject, message));
    const context = { requestId: request.id, deadlineAt: Date.now() + operation.deadlineMs };
    const sent: ResponseOf<O> = await this.rpc
      .call(operation, { ...message, sender } as RequestOf<O>, context)
      .catch(withNewZoneReset(party))
      .catch(asOutcomeUnknown(sender));
    markReplayed(reply, sent.replayed);
    return { result: sendResult(sent), sent };
  }

  /** Makes all checks of a send, and sends nothing. */
  check<O extends SendOperation>(operation: O, { to, message }: ReadSend<O>, { party, request }: SendingCaller) {
    const content = { kind: operation.subject.split('.').pop(), message } as SendContent;
    return this.rpc.call(CheckSend, { sender: senderOf(party, null), to, content }, { requestId: request.id });
  }
}

function senderOf({ sends_as, daily_limit, user_id, business }: SendingParty, idempotency: Sender['idempotency']) {
  const { id: business_id, plan, zones } = business;
  const shared = { business_id, intent_id: newIntentId(), api_key_id: sends_as, plan, daily_limit, timezone: zoneInForce(zones) };
  if (sends_as === null)
    return { ...shared, ...(user_id !== undefined && { user_id }), sent_by: 'agent' as const, idempotency: asReplyKey(idempotency) };
  return { ...shared, sent_by: 'api' as const, idempotency };
}

/** Without an API key the prefix keeps a user's Idempotency-Keys apart from those of broadcasts and automatic replies. */
function asReplyKey(idempotency: Sender['idempotency']): Sender['idempotency'] {
  return idempotency && { ...idempotency, key: `reply:${createHash('sha256').update(idempotency.key).digest('hex')}` };
}

/** The send service knows the midnight of the zone in force; while a change of zone is pending, the cap may reset later. */
export function withNewZoneReset({ business }: { business: { zones: Zones } }) {
  return (error: unknown): never => {
    const retry_after_seconds = secondsToReset(business.zones);
    if (!(error instanceof GatewayError) || error.error_code !== 'DAILY_LIMIT_REACHED' || retry_after_seconds === null) throw error;
    throw new GatewayError('DAILY_LIMIT_REACHED', error.message, { ...error.extras, retry_after_seconds }, error.status);
  };
}
