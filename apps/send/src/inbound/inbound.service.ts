import { Injectable } from '@nestjs/common';
import { ConversationCreated, MessageReceived, type EventEnvelope } from '@mgw/contracts';
import { newEvent, publishDirectly, traceparentOf } from '@mgw/events';
import type { Tx } from '@mgw/postgres';
import { withTraceparent } from '@mgw/telemetry';
import { optWord } from '../suppression/opt-words';
import { SuppressionStore } from '../suppression/suppression.store';
import { ConversationService } from '../conversations/conversation.service';
import {
  customerPhone,
  firstMessageText,
  isCustomerMessage,
  senderOf,
  receivedData,
  identityChange,
  type InboundEvent,
} from './inbound-message';
import { InboundStore, type NewInboundMessage, type InboundMessage } from './inbound.store';

/**
 * A customer's message, the open window and the events that announce it commit together: a receiver that answers
 * `message.received` at once is never told WINDOW_CLOSED (guarantees §1).
 */
@Injectable()
export class InboundService {
  constructor(
    private readonly conversations: ConversationService,
    private readonly suppressions: SuppressionStore,
    private readonly store: InboundStore,
  ) {}

  /** In the order in which they were told: what a person wrote before a change of names stands under the old ones. @returns what it tells */
  async receive(events: InboundEvent[], tx: Tx): Promise<EventEnvelope[]> {
    const told: EventEnvelope[] = [];
    let done = 0;
    for (const [place, event] of events.entries()) {
      const other = identityChange(event);
      if (!other) continue;
      told.push(...(await this.record(events.slice(done, place), tx)));
      await this.conversations.changeIdentity(tx, other);
      done = place + 1;
    }
    told.push(...(await this.record(events.slice(done), tx)));
    return told;
  }

  private async record(events: InboundEvent[], tx: Tx): Promise<EventEnvelope[]> {
    const messages = events.filter(isCustomerMessage);
    if (messages.length === 0) return [];
    const ids = await this.conversations.findOrOpen(tx, messages.map(senderOf));
    const fresh = await this.store.insertNew(
      tx,
      messages.map((event, i) => toInboundMessage(event, ids[i] as number)),
    );
    for (const message of fresh) await this.applyOptWord(tx, message);
    // conversation.created comes before its message.received (product decision 29b).
    const told = fresh.flatMap(({ begins, created, received }) => (begins ? [created, received] : [received]));
    if (fresh[0]?.direct) publishDirectly(told);
    return told;
  }

  private async applyOptWord(tx: Tx, { event, conversationId, settings }: NewInboundMessage): Promise<void> {
    const word = optWord(event.data.text, settings);
    if (word === 'stop') await this.suppressions.set(tx, conversationId, 'person', 'opted_out', event.data.sent_at);
    if (word === 'start') await this.suppressions.lift(tx, conversationId, event.data.sent_at);
  }
}

/** With what may be told of it, in the trace of the message. */
function toInboundMessage(event: InboundEvent, conversationId: number): InboundMessage {
  const about = { at: event.data.sent_at, business_id: event.business_id, key: `conversation:${conversationId}` };
  return withTraceparent(traceparentOf(event), () => ({
    event,
    conversationId,
    received: newEvent(MessageReceived, {
      ...about,
      id: `message.received:${event.business_id}:${event.data.message_id}`,
      data: receivedData(event, conversationId),
    }),
    created: newEvent(ConversationCreated, {
      ...about,
      id: `conversation.created:${conversationId}`,
      data: {
        conversation_id: conversationId,
        customer_phone: customerPhone(event),
        customer_name: event.data.from.name,
        first_message: firstMessageText(event),
        business_id: event.business_id,
      },
    }),
  }));
}
