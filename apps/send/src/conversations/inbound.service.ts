import { Injectable } from '@nestjs/common';
import { ConversationCreated, MessageReceived, type EventEnvelope, type SendSettings } from '@mgw/contracts';
import { appendToOutbox, newEvent } from '@mgw/events';
import type { Tx } from '@mgw/postgres';
import { SettingsStore } from '../settings/settings.store';
import { optWord } from '../suppression/opt-words';
import { SuppressionStore } from '../suppression/suppression.store';
import { ConversationService } from './conversation.service';
import { customerOf, firstMessage, isMessageOfPerson, personOf, receivedData, renaming, type InboundEvent } from './inbound-message';
import { InboundStore, type Advance, type Inbound } from './inbound.store';

/**
 * A customer's message, the open window and the events that announce it commit together: a receiver that answers
 * `message.received` at once is never told WINDOW_CLOSED (guarantees §1).
 */
@Injectable()
export class InboundService {
  constructor(
    private readonly conversations: ConversationService,
    private readonly suppressions: SuppressionStore,
    private readonly settings: SettingsStore,
    private readonly store: InboundStore,
  ) {}

  async receive(events: InboundEvent[], tx: Tx): Promise<void> {
    for (const event of events) {
      const other = renaming(event);
      if (other) await this.conversations.renamed(tx, event.business_id, other.before, other.now);
    }
    const messages = events.filter(isMessageOfPerson);
    if (messages.length === 0) return;
    const ids = await this.conversations.of(tx, messages.map(personOf));
    const inbound = messages.map((event, i) => ({ event, conversationId: ids[i] as number }));
    const fresh = await this.store.insert(tx, inbound);
    if (fresh.length === 0) return;
    const begun = await this.store.advance(tx, advances(fresh));
    const settings = await this.settings.of([...new Set(fresh.map(({ event }) => event.business_id))], tx);
    for (const message of fresh) await this.obeyOptWord(tx, message, settings.get(message.event.business_id) as SendSettings);
    await appendToOutbox(tx, 'send', announcements(fresh, begun));
  }

  private async obeyOptWord(tx: Tx, { event, conversationId }: Inbound, settings: SendSettings): Promise<void> {
    const word = optWord(event.data.text, settings);
    if (word === 'stop') await this.suppressions.set(tx, conversationId, 'person', 'opted_out', event.data.sent_at);
    if (word === 'start') await this.suppressions.lift(tx, conversationId, event.data.sent_at);
  }
}

/** One change for each conversation, however many messages of it are in the batch. */
function advances(inbound: Inbound[]): Advance[] {
  const changes = new Map<number, Advance>();
  for (const { event, conversationId } of inbound) {
    const { sent_at, from } = event.data;
    const change = changes.get(conversationId) ?? { conversationId, first: sent_at, last: sent_at, name: '' };
    changes.set(conversationId, {
      conversationId,
      first: sent_at < change.first ? sent_at : change.first,
      last: sent_at > change.last ? sent_at : change.last,
      name: from.name || change.name,
    });
  }
  return [...changes.values()];
}

/** conversation.created comes before its message.received (product decision 29b). */
function announcements(inbound: Inbound[], begun: Set<number>): EventEnvelope[] {
  return inbound.flatMap(({ event, conversationId }) => {
    const about = { at: event.data.sent_at, business_id: event.business_id, key: `conversation:${conversationId}` };
    const received = newEvent(MessageReceived, {
      ...about,
      id: `message.received:${event.business_id}:${event.data.message_id}`,
      data: receivedData(event, conversationId),
    });
    if (!begun.delete(conversationId)) return [received];
    const created = newEvent(ConversationCreated, {
      ...about,
      id: `conversation.created:${conversationId}`,
      data: {
        conversation_id: conversationId,
        customer_phone: customerOf(event),
        customer_name: event.data.from.name,
        first_message: firstMessage(event),
        business_id: event.business_id,
      },
    });
    return [created, received];
  });
}
