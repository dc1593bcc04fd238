import { Injectable } from '@nestjs/common';
import { newIntentId, type ResponseOf, type Sender, type SendText } from '@mgw/contracts';
import { GraphClient } from '@mgw/platform-api';
import { mayBeCommitted } from '@mgw/postgres';
import type { RpcContext } from '@mgw/rpc';
import { activeTraceparent } from '@mgw/telemetry';
import type { PlatformConnection } from '../connection/connection.service';
import type { IntentDraft, IntentRecord } from '../intents/intent';
import { OutcomeService } from '../intents/outcome.service';
import { ReservationService } from '../intents/reservation.service';
import { recipientSuppressed } from '../suppression/suppression';
import { windowClosed } from '../window/window';
import { MessageChecks, type PrepareMessage } from './message-checks.service';
import type { OutgoingMessage } from './outgoing-message';
import { MIN_CALL_MS, PlatformSendService } from './platform-send.service';
import { dailyLimitReached, noTimeLeft, numberBusy, replayEarlier } from './send-errors';

/** Time for recording the outcome before the caller's deadline, in milliseconds. */
const RECORDING_MS = 1_500;
/**
 * Maximum wait for the number's share of platform calls, in milliseconds. Together with two service calls (2 s each), the platform call (15 s)
 * and the recording it stays below the gateway's deadline of 30 s.
 */
const SHARE_WAIT_MS = 5_000;

/** The steps of every message (guarantees §1): check, reserve an intent, call the platform once, record the outcome. */
@Injectable()
export class SendPipeline {
  constructor(
    private readonly graph: GraphClient,
    private readonly checks: MessageChecks,
    private readonly reservations: ReservationService,
    private readonly outcomes: OutcomeService,
    private readonly platform: PlatformSendService,
  ) {}

  /**
   * Decision 1 fixes the order of checks: those of MessageChecks, then suppression, window and cap in the reservation.
   * A repeated Idempotency-Key returns the first result before any check. The number's share of platform calls comes before the intent,
   * so a send without a share uses no cap and stores nothing.
   */
  async send(sender: Sender, context: RpcContext, prepare: PrepareMessage): Promise<ResponseOf<typeof SendText>> {
    const earlier = await this.reservations.findEarlier(sender);
    if (earlier) return replayEarlier(earlier, sender);
    const { connection, outgoing } = await this.checks.passOrThrow(sender, context, prepare);
    const callUntil = context.deadlineAt - RECORDING_MS;
    if (Date.now() >= callUntil) throw noTimeLeft();
    const release = await this.graph.takePlace(connection.phoneNumberId, Math.min(SHARE_WAIT_MS, callUntil - MIN_CALL_MS - Date.now()));
    if (release === null) throw numberBusy();
    try {
      return await this.reserveAndSend(outgoing, connection, callUntil, context);
    } finally {
      release();
    }
  }

  private async reserveAndSend(
    outgoing: OutgoingMessage,
    connection: PlatformConnection,
    callUntil: number,
    { requestId, deadlineAt: until }: RpcContext,
  ): Promise<ResponseOf<typeof SendText>> {
    const { sender } = outgoing;
    const draft = toDraft(outgoing);
    const intent = toIntentRecord(draft, requestId);
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
        if (mayBeCommitted(reservation.error)) void this.outcomes.cancelled(intent);
        throw reservation.error;
      case 'reserved':
        return this.platform.send({ intent, outgoing, recipient: reservation.recipient, connection, callUntil, until });
    }
  }
}

function toDraft({ sender, to, type, template, needsWindow, text, details }: OutgoingMessage): IntentDraft {
  const marketing = template?.category === 'MARKETING';
  const { name = null, language = null } = template ?? {};
  const id = sender.intent_id ?? newIntentId();
  return {
    id,
    sender,
    to,
    type,
    template: name,
    language,
    marketing,
    needsWindow,
    text,
    details: details ? JSON.stringify(details) : null,
  };
}

function toIntentRecord({ id, sender, to, type, template, text, language }: IntentDraft, requestId: string): IntentRecord {
  const { business_id: businessId, api_key_id: apiKeyId, sent_by: sentBy, broadcast_id: broadcastId = null } = sender;
  return { id, businessId, apiKeyId, to, type, sentBy, template, text, language, requestId, broadcastId, traceparent: activeTraceparent() };
}
