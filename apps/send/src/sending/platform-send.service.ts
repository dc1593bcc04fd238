import { Injectable } from '@nestjs/common';
import type { ResponseOf, SendText } from '@mgw/contracts';
import { crashPoint } from '@mgw/faults';
import { GraphClient, failureReason, type SendOutcome } from '@mgw/platform-api';
import type { PlatformConnection } from '../connection/connection.service';
import { unclearReason, type IntentRecord, type Recipient } from '../intents/intent';
import { OutcomeService } from '../intents/outcome.service';
import { RefusalEffects } from '../platform-errors/refusal-effects.service';
import { refusalError } from '../platform-errors/refusal-error';
import type { OutgoingMessage } from './outgoing-message';
import { outcomeUnknown, platformUnreachable } from './send-errors';

/** A call with less time is not made, in milliseconds: WhatsApp could accept a message whose response comes too late. */
export const MIN_CALL_MS = 1_000;

/** A send whose intent is committed. */
interface ReservedSend {
  intent: IntentRecord;
  outgoing: OutgoingMessage;
  recipient: Recipient;
  connection: PlatformConnection;
  /** Deadline of the platform call, in milliseconds since 1970. */
  callUntil: number;
  /** When the caller stops waiting, in milliseconds since 1970. */
  until: number;
}

/** Calls the platform once and records the outcome. */
@Injectable()
export class PlatformSendService {
  constructor(
    private readonly graph: GraphClient,
    private readonly outcomes: OutcomeService,
    private readonly effects: RefusalEffects,
  ) {}

  async send(send: ReservedSend): Promise<ResponseOf<typeof SendText>> {
    crashPoint('send.after-intent');
    await this.storeBeforeCall(send);
    const outcome = await this.call(send);
    crashPoint('send.after-call');
    return this.recordOutcome(send, outcome);
  }

  /** If storing fails, nothing is sent, and the send releases its cap and Idempotency-Key. */
  private async storeBeforeCall({ intent, outgoing }: ReservedSend): Promise<void> {
    try {
      await outgoing.beforeCall?.(intent.id);
    } catch (error) {
      await this.outcomes.refused(intent, 'The send could not be prepared, so nothing was sent.');
      throw error;
    }
  }

  /** Makes no call that has too little time left, because the caller would not get the response (guarantees §1, S6). */
  private async call({ intent, outgoing, connection, callUntil }: ReservedSend): Promise<SendOutcome> {
    if (Date.now() > callUntil - MIN_CALL_MS) return { kind: 'unreached', problem: 'too little time was left for the call' };
    return this.graph.sendMessage(connection, outgoing.request(intent.id), callUntil);
  }

  private async recordOutcome(
    { intent, outgoing, recipient, until }: ReservedSend,
    outcome: SendOutcome,
  ): Promise<ResponseOf<typeof SendText>> {
    switch (outcome.kind) {
      case 'accepted': {
        const { messageId, waId, userId } = outcome;
        const { conversationId } = recipient;
        const acceptedAt = new Date().toISOString();
        const acceptance = { intent, messageId, waId, userId, acceptedAt, conversationId, repaired: false };
        const isRecorded = await this.outcomes.accepted(acceptance, until);
        if (!isRecorded) throw outcomeUnknown(intent.id);
        crashPoint('send.after-outcome');
        return { message_id: messageId, phone: intent.to, replayed: false };
      }
      case 'refused': {
        const { refusal } = outcome;
        await this.outcomes.refused(intent, failureReason({ code: refusal.platformCode, text: refusal.message }));
        await this.effects.apply(refusal, { businessId: intent.businessId, to: intent.to, ...recipient });
        throw refusalError(refusal, { intentId: intent.id, template: outgoing.template, lastInboundAt: recipient.lastInboundAt });
      }
      case 'unreached':
        await this.outcomes.refused(intent, `The platform could not be reached: ${outcome.problem}.`);
        throw platformUnreachable(intent.id);
      case 'unknown':
        await this.outcomes.unknown(
          intent,
          unclearReason(`WhatsApp gave no clear response, so the message may have been sent (${outcome.problem})`),
        );
        throw outcomeUnknown(intent.id);
    }
  }
}
