import { MessageNotSent, MessageSent, type EventEnvelope, type MessageSentFacts } from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import { withTraceparent } from '@mgw/telemetry';
import { personByAlias, type Person } from '../conversations/person';
import type { IntentRecord } from './intent';

/** A message that the platform accepted. */
export interface Acceptance {
  intent: IntentRecord;
  /** The platform's id. */
  messageId: string;
  /** The platform's number of the recipient; null if the response lacks it. */
  waId: string | null;
  userId: string | null;
  /** ISO time. */
  acceptedAt: string;
  /** Null if the conversation must be found or opened first. */
  conversationId: number | null;
  /** True if the outcome may have been published as unknown before. */
  repaired: boolean;
}

export function acceptedPerson({ intent, waId, userId }: Acceptance): Person {
  const dialled = personByAlias(intent.businessId, intent.to);
  return { ...dialled, userId: dialled.userId ?? userId, waId };
}

/** Whether the platform reports another name of the recipient than the requested one (platform §0.11). Replies come from that name. */
export function hasOtherName({ intent, waId, userId }: Acceptance): boolean {
  return [waId, userId].some((name) => name !== null && name !== intent.to);
}

/** Notifies the business's webhooks (spec §6.3) and opens the status record. Its id makes consumers handle it once (guarantees §1, S7). */
export function sentEvent({ intent, messageId, acceptedAt, repaired }: Acceptance, conversationId: number): EventEnvelope {
  const facts: MessageSentFacts = {
    intent_id: intent.id,
    api_key_id: intent.apiKeyId,
    template: intent.template,
    repaired,
    ...(intent.broadcastId !== null && { broadcast_id: intent.broadcastId }),
    ...requestFacts(intent),
  };
  const fields = {
    id: `message.sent:${messageId}`,
    at: acceptedAt,
    business_id: intent.businessId,
    key: `conversation:${conversationId}`,
    data: {
      message_id: messageId,
      to: intent.to,
      type: intent.type,
      text: intent.text,
      sent_by: intent.sentBy,
      conversation_id: conversationId,
      business_id: intent.businessId,
    },
    facts,
  };
  return withTraceparent(intent.traceparent, () => newEvent(MessageSent, fields));
}

/** Adds the failure to the message log. Consumers keep the first one of an intent. */
export function notSentEvent(intent: IntentRecord, reason: string): EventEnvelope {
  const fields = {
    id: `message.not-sent:${intent.id}`,
    at: new Date().toISOString(),
    business_id: intent.businessId,
    key: `intent:${intent.id}`,
    data: {
      intent_id: intent.id,
      to: intent.to,
      type: intent.type,
      sent_by: intent.sentBy,
      api_key_id: intent.apiKeyId,
      template: intent.template,
      text: intent.text,
      reason,
      ...requestFacts(intent),
    },
  };
  return withTraceparent(intent.traceparent, () => newEvent(MessageNotSent, fields));
}

function requestFacts({ language, requestId }: IntentRecord) {
  return { ...(language !== null && { language }), ...(requestId !== null && { request_id: requestId }) };
}
