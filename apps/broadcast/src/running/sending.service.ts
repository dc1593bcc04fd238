import { Injectable } from '@nestjs/common';
import { Batcher } from '@mgw/batching';
import { GatewayError, intentIdOf, SendTemplate } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { RecipientsStore, type DueRecipient, type EndedTry, type RecipientEnd } from './recipients.store';
import type { RunningBroadcast } from './runs.store';

/** Tries of one recipient; with growing pauses about ten minutes. */
export const MAX_TRIES = 8;
/** How long one send may take, in milliseconds. */
const SEND_WITHIN_MS = SendTemplate.deadlineMs;
/** An unclear send is looked up after this many seconds: its status callback usually settles it within them. */
const LOOK_UP_AFTER_S = 2;
/** Certainly nothing was sent. */
const TRY_AGAIN = new Set(['PLATFORM_UNAVAILABLE', 'PLATFORM_THROTTLED', 'OVERLOADED']);
/** It may have been sent, by this try or by one before. */
const UNCLEAR = new Set(['IDEMPOTENCY_IN_FLIGHT', 'OUTCOME_UNKNOWN', 'DEADLINE_EXCEEDED', 'REPLY_LOST', 'INTERNAL']);

/**
 * Sends one recipient's message as any other caller would. It names the send, so that the send service can be asked what became of it; the
 * Idempotency-Key makes it harmless if two processes try the same recipient.
 */
@Injectable()
export class SendingService {
  private readonly ends: Batcher<EndedTry, undefined>;

  constructor(
    private readonly rpc: RpcClient,
    recipients: RecipientsStore,
  ) {
    this.ends = new Batcher({
      run: async (ends) => {
        await recipients.record(ends);
        return ends.map(() => undefined);
      },
    });
  }

  /**
   * Never throws: an outcome that cannot be recorded is looked up when the try's time is over.
   * @param takenAt when the recipient was about to be taken, in milliseconds since the epoch: nothing leaves later than 30 s after that
   */
  async send(broadcast: RunningBroadcast, recipient: DueRecipient, takenAt: number): Promise<void> {
    const { nth, intent_id: intentId } = recipient;
    const end = await this.attempt(broadcast, recipient, takenAt + SEND_WITHIN_MS);
    await this.ends.add({ broadcastId: broadcast.id, nth, intentId, end }).catch(() => undefined);
  }

  private async attempt(broadcast: RunningBroadcast, recipient: DueRecipient, deadlineAt: number): Promise<RecipientEnd> {
    const { id, business_id, template_name, language, plan, timezone } = broadcast;
    const { nth, phone: to, body_params, header_params, intent_id } = recipient;
    const key = `broadcast:${id}:${nth}`;
    const sender = {
      business_id,
      sent_by: 'broadcast' as const,
      intent_id,
      api_key_id: null,
      plan,
      daily_limit: null,
      timezone,
      idempotency: { key, fingerprint: key },
    };
    try {
      const message = { to, template_name, language, body_params, header_params, button_params: [] };
      const sent = await this.rpc.call(SendTemplate, { sender, ...message }, { deadlineAt });
      return { state: 'sent', messageId: sent.message_id };
    } catch (error) {
      return endOf(error, recipient);
    }
  }
}

function endOf(error: unknown, { attempts, intent_id }: DueRecipient): RecipientEnd {
  const known = error instanceof GatewayError ? error : new GatewayError('INTERNAL', 'Something went wrong on our side.');
  const reason = `${known.error_code}: ${known.message}`;
  if (UNCLEAR.has(known.error_code)) {
    // An earlier try with the same Idempotency-Key may be the one in question.
    const { message_id } = known.extras;
    const intentId = (typeof message_id === 'string' && intentIdOf(message_id)) || intent_id;
    return { state: 'unclear', intentId, reason, afterSeconds: LOOK_UP_AFTER_S };
  }
  if (TRY_AGAIN.has(known.error_code) && attempts < MAX_TRIES) return { state: 'pending', afterSeconds: Math.min(300, 2 * 2 ** attempts) };
  return { state: 'failed', reason };
}
