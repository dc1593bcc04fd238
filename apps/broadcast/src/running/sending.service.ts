import { Injectable } from '@nestjs/common';
import { Batcher } from '@mgw/batching';
import { GatewayError, SendTemplate } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { RecipientsStore, type DueRecipient, type RecipientEnd, type RunningBroadcast } from './recipients.store';

/** Tries of one recipient; with growing pauses about ten minutes. */
const MAX_TRIES = 8;
/** The platform took nothing, so the Idempotency-Key was free: no earlier try has sent anything either. */
const AFRESH = ['PLATFORM_UNAVAILABLE', 'PLATFORM_THROTTLED'];
/** Nothing was sent, or the same Idempotency-Key will tell what became of it. */
const TRY_AGAIN = new Set([
  'IDEMPOTENCY_IN_FLIGHT',
  'OUTCOME_UNKNOWN',
  ...AFRESH,
  'OVERLOADED',
  'DEADLINE_EXCEEDED',
  'REPLY_LOST',
  'INTERNAL',
]);

/** Sends one recipient's message as any other caller would: the send service's Idempotency-Key makes a repeated try harmless. */
@Injectable()
export class SendingService {
  private readonly ends: Batcher<{ broadcastId: number; nth: number; end: RecipientEnd }, undefined>;

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

  /** Never throws: what cannot be recorded is tried again when its time is over. */
  async send(broadcast: RunningBroadcast, recipient: DueRecipient): Promise<void> {
    const end = await this.attempt(broadcast, recipient);
    await this.ends.add({ broadcastId: broadcast.id, nth: recipient.nth, end }).catch(() => undefined);
  }

  private async attempt(broadcast: RunningBroadcast, recipient: DueRecipient): Promise<RecipientEnd> {
    if (recipient.stale) return { state: 'failed', reason: 'Interrupted for a day: whether it was sent is not known.' };
    const { id, business_id, template_name, language, plan, timezone } = broadcast;
    const { nth, phone: to, body_params, header_params } = recipient;
    const key = `broadcast:${id}:${nth}`;
    const sender = {
      business_id,
      sent_by: 'broadcast' as const,
      api_key_id: null,
      plan,
      daily_limit: null,
      timezone,
      idempotency: { key, fingerprint: key },
    };
    try {
      const sent = await this.rpc.call(SendTemplate, {
        sender,
        to,
        template_name,
        language,
        body_params,
        header_params,
        button_params: [],
      });
      return { state: 'sent', messageId: sent.message_id };
    } catch (error) {
      return endOf(error, recipient.attempts);
    }
  }
}

function endOf(error: unknown, attempts: number): RecipientEnd {
  const known = error instanceof GatewayError ? error : new GatewayError('INTERNAL', 'Something went wrong on our side.');
  if (TRY_AGAIN.has(known.error_code) && attempts < MAX_TRIES)
    return { state: 'pending', afterSeconds: Math.min(300, 2 * 2 ** attempts), afresh: AFRESH.includes(known.error_code) };
  return { state: 'failed', reason: `${known.error_code}: ${known.message}` };
}
