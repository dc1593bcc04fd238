import { Injectable } from '@nestjs/common';
import { ConversationCreated, MessageReceived, type EventEnvelope } from '@mgw/contracts';
import { allowDirectPublish, newEvent, traceparentOf } from '@mgw/events';
import type { Tx } from '@mgw/postgres';
import { withTraceparent } from '@mgw/telemetry';
import { ConversationService } from '../conversations/conversation.service';
import { optWord, type OptWord } from '../suppression/opt-words';
import { StoredFilesStore } from '../media/stored-files.store';
import { SendConfig } from '../send.config';
import { SuppressionChanges } from '../suppression/suppression-changes.service';
import { SuppressionStore } from '../suppression/suppression.store';
import {
  customerPhone,
  firstMessageText,
  identityChange,
  isCustomerMessage,
  messageChange,
  receivedData,
  senderOf,
  type InboundEvent,
} from './inbound-message';
import { MessageChangesStore } from './message-changes.store';
import { InboundStore, type InboundMessage, type NewInboundMessage } from './inbound.store';

/**
 * Commits a customer's message, the open window and the events together. A receiver that replies to `message.received` at once never gets
 * WINDOW_CLOSED (guarantees §1).
 */
@Injectable()
export class InboundService {
  constructor(
    private readonly conversations: ConversationService,
    private readonly suppressions: SuppressionStore,
    private readonly suppressionChanges: SuppressionChanges,
    private readonly store: InboundStore,
    private readonly changes: MessageChangesStore,
    private readonly storedFiles: StoredFilesStore,
    private readonly config: SendConfig,
  ) {}

  /** Handles events in their order, so that messages before a change of identity belong to the old one. @returns the events to publish */
  async receive(events: InboundEvent[], tx: Tx): Promise<EventEnvelope[]> {
    const published: EventEnvelope[] = [];
    let handled = 0;
    for (const [place, event] of events.entries()) {
      const change = identityChange(event);
      if (!change) continue;
      published.push(...(await this.record(events.slice(handled, place), tx)));
      await this.conversations.changeIdentity(tx, change);
      handled = place + 1;
    }
    published.push(...(await this.record(events.slice(handled), tx)));
    return published;
  }

  private async record(inbound: InboundEvent[], tx: Tx): Promise<EventEnvelope[]> {
    await this.changes.record(
      tx,
      inbound.map(messageChange).filter((change) => change !== null),
    );
    const messages = inbound.filter(isCustomerMessage);
    if (messages.length === 0) return [];
    const ids = await this.conversations.findOrOpen(tx, messages.map(senderOf));
    const inserted = await this.store.insertNew(
      tx,
      messages.map((event, i) => toInboundMessage(event, ids[i] as number, this.config.publicUrl)),
    );
    await this.storedFiles.add(tx, inserted);
    const suppressed: EventEnvelope[] = [];
    const lastOptWords = new Map<number, OptWord | null>();
    for (const message of inserted) {
      const { text, type } = message.event.data;
      const word = optWord(text, message.settings);
      // A reaction starts no wait, so a STOP before it still ends the wait (decision 392).
      if (type !== 'reaction') lastOptWords.set(message.conversationId, word);
      if (word !== null) suppressed.push(...(await this.applyOptWord(tx, message, word)));
    }
    const endingWithStop = [...lastOptWords].flatMap(([id, word]) => (word === 'stop' ? [id] : []));
    await this.conversations.endWaits(tx, endingWithStop);
    // Publish conversation.created before its message.received (decision 29b).
    const events = inserted.flatMap(({ startsConversation, created, received }) => (startsConversation ? [created, received] : [received]));
    allowDirectPublish(events, inserted[0]?.older ?? null);
    return [...events, ...suppressed];
  }

  private async applyOptWord(tx: Tx, { event, conversationId }: NewInboundMessage, word: OptWord): Promise<EventEnvelope[]> {
    const at = event.data.sent_at;
    const change = { businessId: event.business_id, conversations: [conversationId], source: 'person' as const, at };
    const write = () =>
      word === 'stop'
        ? this.suppressions.set(tx, conversationId, 'person', 'opted_out', at)
        : this.suppressions.lift(tx, conversationId, at);
    return (await this.suppressionChanges.apply(tx, change, write)).events;
  }
}

/** Builds the message's events within the trace of the callback. */
function toInboundMessage(event: InboundEvent, conversationId: number, publicUrl: string): InboundMessage {
  const common = { at: event.data.sent_at, business_id: event.business_id, key: `conversation:${conversationId}` };
  return withTraceparent(traceparentOf(event), () => ({
    event,
    conversationId,
    received: newEvent(MessageReceived, {
      ...common,
      id: `message.received:${event.business_id}:${event.data.message_id}`,
      data: receivedData(event, conversationId, publicUrl),
    }),
    created: newEvent(ConversationCreated, {
      ...common,
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
