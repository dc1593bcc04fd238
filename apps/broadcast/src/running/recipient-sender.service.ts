import { Injectable } from '@nestjs/common';
import { GatewayError, intentIdOf, MAY_HAVE_SENT, NOT_SENT_YET, SendTemplate, type Access } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { KeyAccessClient } from './key-access-client.service';
import { causeOf } from './pause-cause';
import type { DueRecipient, EndedAttempt, RecipientEnd } from './recipients.store';
import type { RunningBroadcast } from './runs.store';

/** Attempts per recipient; with growing pauses they take about ten minutes. */
export const MAX_ATTEMPTS = 8;
/** The deadline of one send, in milliseconds. */
const SEND_DEADLINE_MS = SendTemplate.deadlineMs;
/** Seconds until the send service is queried about an unclear send; a status callback usually arrives earlier. */
const QUERY_AFTER_S = 2;
/** Seconds until a recipient of a suspended business is tried again; the broadcast goes on when the operator resumes the business. */
const SUSPENDED_RETRY_S = 300;
/** Seconds until a recipient is retried if the gateway did not respond to the query for the key or the business. */
const ACCESS_RETRY_S = 15;

/**
 * Sends one recipient's message through the send service. It chooses the intent id, so that it can query the outcome later; the
 * Idempotency-Key prevents a second message if two processes attempt the same recipient.
 */
@Injectable()
export class RecipientSender {
  constructor(
    private readonly rpc: RpcClient,
    private readonly keys: KeyAccessClient,
  ) {}

  /**
   * Never throws.
   * @param claimedAt time before the claim, in milliseconds since the epoch; the send's deadline is 30 s after it
   */
  async send(broadcast: RunningBroadcast, recipient: DueRecipient, claimedAt: number): Promise<EndedAttempt> {
    const { nth, intent_id: intentId } = recipient;
    const end = await this.attempt(broadcast, recipient, claimedAt + SEND_DEADLINE_MS);
    return { broadcastId: broadcast.id, nth, intentId, end };
  }

  private async attempt(broadcast: RunningBroadcast, recipient: DueRecipient, deadlineAt: number): Promise<RecipientEnd> {
    const { id, business_id, template_name, language, api_key_id } = broadcast;
    const { nth, phone: to, body_params, header_params, button_params, intent_id } = recipient;
    // No caller's Idempotency-Key has a space, so this one differs from all that callers of the same API key chose.
    const key = `broadcast${api_key_id === null ? ':' : ' '}${id}:${nth}`;
    let access: Access;
    try {
      access = await this.accessOf(broadcast);
    } catch (error) {
      return endWithoutAccess(error);
    }
    try {
      const { plan, timezone, daily_limit } = access;
      const sender = {
        business_id,
        sent_by: 'broadcast' as const,
        broadcast_id: id,
        intent_id,
        api_key_id,
        plan,
        daily_limit,
        timezone,
        idempotency: { key, fingerprint: key },
      };
      const message = { to, template_name, language, body_params, header_params, button_params };
      const sent = await this.rpc.call(SendTemplate, { sender, ...message }, { deadlineAt });
      return { state: 'sent', messageId: sent.message_id };
    } catch (error) {
      return endOf(error, recipient);
    }
  }

  /** No cap bounds a person's broadcast, so its plan and time zone may be those of its creation. @throws GatewayError */
  private async accessOf({ business_id, api_key_id, plan, timezone }: RunningBroadcast): Promise<Access> {
    return api_key_id === null ? { plan, timezone, daily_limit: null } : this.keys.find({ business_id, api_key_id });
  }
}

/** The send was not attempted. */
function endWithoutAccess(error: unknown): RecipientEnd {
  const known = knownOf(error);
  const cause = causeOf(known);
  return cause
    ? { state: 'pending', afterSeconds: 0, isCounted: false, cause }
    : { state: 'pending', afterSeconds: ACCESS_RETRY_S, isCounted: false, retryReason: reasonOf(known) };
}

function endOf(error: unknown, { attempts, intent_id }: DueRecipient): RecipientEnd {
  const known = knownOf(error);
  const reason = reasonOf(known);
  if (MAY_HAVE_SENT.has(known.error_code)) {
    // The unclear send may be an earlier attempt with the same Idempotency-Key.
    const { message_id } = known.extras;
    const intentId = (typeof message_id === 'string' && intentIdOf(message_id)) || intent_id;
    return { state: 'unclear', intentId, reason, afterSeconds: QUERY_AFTER_S };
  }
  const cause = causeOf(known);
  if (cause) return { state: 'pending', afterSeconds: 0, isCounted: false, cause };
  if (known.error_code === 'BUSINESS_SUSPENDED')
    return { state: 'pending', afterSeconds: SUSPENDED_RETRY_S, isCounted: false, retryReason: reason };
  if (NOT_SENT_YET.has(known.error_code) && attempts < MAX_ATTEMPTS)
    return { state: 'pending', afterSeconds: Math.min(300, 2 * 2 ** attempts), isCounted: true, retryReason: reason };
  return { state: 'failed', reason };
}

const knownOf = (error: unknown) =>
  error instanceof GatewayError ? error : new GatewayError('INTERNAL', 'Something went wrong on our side.');

const reasonOf = ({ error_code, message }: GatewayError) => `${error_code}: ${message}`;
