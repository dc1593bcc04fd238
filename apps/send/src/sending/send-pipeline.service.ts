import { Injectable } from '@nestjs/common';
import { newIntentId, type ReplyOf, type Sender, type SendText } from '@mgw/contracts';
import { crashPoint } from '@mgw/faults';
import { GraphClient, failureReason, type SendOutcome } from '@mgw/platform-api';
import { mayBeCommitted } from '@mgw/postgres';
import type { RpcContext } from '@mgw/rpc';
import { activeTraceparent } from '@mgw/telemetry';
import { ConnectionService, type PlatformConnection } from '../connection/connection.service';
import type { IntentDraft, Recipient } from '../intents/intent';
import { OutcomeService } from '../intents/outcome.service';
import { ReservationService } from '../intents/reservation.service';
import { RefusalEffects } from '../platform-errors/refusal-effects.service';
import { refusalError } from '../platform-errors/refusal-error';
import { recipientSuppressed } from '../suppression/suppression';
import { windowClosed } from '../window/window';
import type { OutgoingMessage } from './outgoing-message';
import { replayEarlier, dailyLimitReached, noTimeLeft, numberBusy, outcomeUnknown, platformUnreachable } from './send-errors';
import { refuseRestricted } from '../connection/restriction';
import { type IntentRecord } from '../intents/intent';

type AcceptedSend = ReplyOf<typeof SendText>;

/** A reserved message and its recipient. */
interface ReservedMessage {
  outgoing: OutgoingMessage;
  recipient: Recipient;
}

/** Time reserved for recording the outcome before the caller's deadline, in milliseconds. */
const RECORDING_MS = 1_500;
/**
 * Maximum wait for the number's share of platform calls, in milliseconds. Together with two service calls (2 s each), the platform call (15 s)
 * and the recording it stays below the gateway's deadline of 30 s.
 */
const SHARE_WAIT_MS = 5_000;
/** Minimum time for the platform call, in milliseconds. A send does not wait for its share beyond it. */
const MIN_CALL_MS = 1_000;

/** The steps of every message (guarantees §1): check, reserve an intent, call the platform once, record the outcome. */
@Injectable()
export class SendPipeline {
  constructor(
    private readonly graph: GraphClient,
    private readonly connections: ConnectionService,
    private readonly reservations: ReservationService,
    private readonly outcomes: OutcomeService,
    private readonly effects: RefusalEffects,
  ) {}

  /**
   * Decision 1 fixes the order of checks: connection, needs of the kind (`prepare` finds the template), suppression, window, cap.
   * A repeated Idempotency-Key returns the first result before any check. The number's share of platform calls comes before the intent,
   * so a send without a share uses no cap and stores nothing.
   */
  async send(sender: Sender, context: RpcContext, prepare: () => Promise<OutgoingMessage>): Promise<AcceptedSend> {
    const earlier = await this.reservations.findEarlier(sender);
    if (earlier) return replayEarlier(earlier, sender);
    const connection = await this.connections.forBusiness(sender.business_id, context);
    const outgoing = await prepare();
    refuseRestricted(connection, outgoing.needsWindow ? 'freeForm' : 'template');
    if (hasNoTimeLeft(context)) throw noTimeLeft();
    const release = await this.graph.takePlace(connection.phoneNumberId, shareWaitMs(context));
    if (release === null) throw numberBusy();
    try {
      return await this.reserveAndCall(outgoing, connection, context);
    } finally {
      release();
    }
  }

  private async reserveAndCall(outgoing: OutgoingMessage, connection: PlatformConnection, context: RpcContext): Promise<AcceptedSend> {
    const { sender } = outgoing;
    const draft = toDraft(outgoing);
    const reservation = await this.reservations.reserve(draft);
    switch (reservation.kind) {
      case 'suppressed':
        throw recipientSuppressed(reservation.state);
      case 'window_closed':
        throw windowClosed(reservation.lastInboundAt);
      case 'earlier':
        return replayEarlier(reservation.send, sender);
      case 'capped':
        throw dailyLimitReached(sender, reservation);
      case 'failed':
        if (mayBeCommitted(reservation.error)) void this.outcomes.cancelled(toIntentRecord(draft));
        throw reservation.error;
      case 'reserved':
        return this.callAndRecord(draft, { outgoing, recipient: reservation.recipient }, connection, context);
    }
  }

  private async callAndRecord(
    draft: IntentDraft,
    sent: ReservedMessage,
    connection: PlatformConnection,
    context: RpcContext,
  ): Promise<AcceptedSend> {
    const { outgoing } = sent;
    crashPoint('send.after-intent');
    await this.storeBeforeCall(draft, outgoing);
    const outcome = await this.callPlatform(draft, outgoing, connection, context);
    crashPoint('send.after-call');
    return this.recordOutcome(draft, outcome, sent);
  }

  /** If storing fails, nothing is sent, and the send releases its cap and Idempotency-Key. */
  private async storeBeforeCall(draft: IntentDraft, { beforeCall }: OutgoingMessage): Promise<void> {
    try {
      await beforeCall?.(draft.id);
    } catch (error) {
      await this.outcomes.refused(toIntentRecord(draft), 'The send could not be prepared, so nothing was sent.');
      throw error;
    }
  }

  /** Makes no call after the caller stops waiting (guarantees §1, S6). */
  private callPlatform(
    draft: IntentDraft,
    outgoing: OutgoingMessage,
    connection: PlatformConnection,
    context: RpcContext,
  ): Promise<SendOutcome> {
    if (hasNoTimeLeft(context)) return Promise.resolve({ kind: 'unreached', problem: 'the deadline had passed' });
    return this.graph.sendMessage(connection, outgoing.request(draft.id), context.deadlineAt - RECORDING_MS);
  }

  private async recordOutcome(draft: IntentDraft, outcome: SendOutcome, sent: ReservedMessage): Promise<AcceptedSend> {
    switch (outcome.kind) {
      case 'accepted':
        await this.recordAcceptance(draft, outcome, sent.recipient);
        crashPoint('send.after-outcome');
        return { message_id: outcome.messageId, phone: draft.to, replayed: false };
      case 'refused': {
        const { refusal } = outcome;
        await this.outcomes.refused(toIntentRecord(draft), failureReason({ code: refusal.platformCode, text: refusal.message }));
        const about = { businessId: draft.sender.business_id, to: draft.to, ...sent.recipient };
        await this.effects.apply(refusal, about);
        throw refusalError(refusal, { intentId: draft.id, template: sent.outgoing.template, lastInboundAt: about.lastInboundAt });
      }
      case 'unreached':
        await this.outcomes.refused(toIntentRecord(draft), `The platform could not be reached: ${outcome.problem}.`);
        throw platformUnreachable(draft.id);
      case 'unknown':
        await this.outcomes.unknown(toIntentRecord(draft), `The platform gave no clear response: ${outcome.problem}.`);
        throw outcomeUnknown(draft.id);
    }
  }

  private async recordAcceptance(
    draft: IntentDraft,
    outcome: SendOutcome & { kind: 'accepted' },
    { conversationId }: Recipient,
  ): Promise<void> {
    const { messageId, waId, userId } = outcome;
    const recorded = await this.outcomes.accepted({
      intent: toIntentRecord(draft),
      messageId,
      waId,
      userId,
      acceptedAt: new Date().toISOString(),
      conversationId,
      repaired: false,
    });
    if (!recorded) throw outcomeUnknown(draft.id);
  }
}

function shareWaitMs({ deadlineAt }: RpcContext): number {
  return Math.min(SHARE_WAIT_MS, deadlineAt - RECORDING_MS - MIN_CALL_MS - Date.now());
}

function hasNoTimeLeft({ deadlineAt }: RpcContext): boolean {
  return Date.now() >= deadlineAt - RECORDING_MS;
}

function toDraft({ sender, to, type, template, needsWindow, text }: OutgoingMessage): IntentDraft {
  const marketing = template?.category === 'MARKETING';
  return { id: sender.intent_id ?? newIntentId(), sender, to, type, template: template?.name ?? null, marketing, needsWindow, text };
}

function toIntentRecord({ id, sender, to, type, template, text }: IntentDraft): IntentRecord {
  const { business_id: businessId, api_key_id: apiKeyId, sent_by: sentBy } = sender;
  return { id, businessId, apiKeyId, to, type, sentBy, template, text, traceparent: activeTraceparent() };
}
