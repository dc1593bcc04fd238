import { Injectable } from '@nestjs/common';
import { ConversationCreated, MessageReceived, type EventEnvelope } from '@mgw/contracts';
import { allowDirectPublish, newEvent, traceparentOf } from '@mgw/events';
import type { Tx } from '@mgw/postgres';
import { withTraceparent } from '@mgw/telemetry';
import { ConversationService } from '../conversations/conversation.service';
import { KnownConversations } from '../conversations/known-conversations';
import { aliasesOf } from '../conversations/person';
import { optWord } from '../suppression/opt-words';
import { StoredFilesStore } from '../media/stored-files.store';
import { ErasedOptOuts } from '../people/erased-opt-outs';
import { SendConfig } from '../send.config';
import { withDefaults } from '../settings/settings.store';
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
import { InboundStore, type ExpectedMessage, type FirstMessage, type InboundMessage, type Recorded, type Wording } from './inbound.store';

const DEFAULT_WORDING: Wording = { settings: withDefaults(undefined), words: '' };
/** Businesses whose own words are remembered. Messages of the others take the longer way. */
const MOST_WORDINGS = 200;

/**
 * Commits a customer's message, the open window and the events together. A receiver that replies to `message.received` at once never gets
 * WINDOW_CLOSED (guarantees §1).
 */
@Injectable()
export class InboundService {
  private readonly known = new KnownConversations();
  /** Businesses with words of their own for opting out and in. */
  private readonly wording = new Map<number, Wording>();

  constructor(
    private readonly conversations: ConversationService,
    private readonly erasedOptOuts: ErasedOptOuts,
    private readonly suppressions: SuppressionStore,
    private readonly suppressionChanges: SuppressionChanges,
    private readonly store: InboundStore,
    private readonly changes: MessageChangesStore,
    private readonly storedFiles: StoredFilesStore,
    private readonly config: SendConfig,
  ) {}

  /**
   * Stores messages with a single statement if that is all there is to do: their senders' conversations are known, nobody opts out or in,
   * and no file comes with them. The statement compares what this process knows with the database.
   * @returns the events to publish; undefined if nothing is stored, because these events need the transaction of `receive`
   */
  async receiveAtOnce(events: InboundEvent[]): Promise<EventEnvelope[] | undefined> {
    const messages = events.map((event) => this.expected(event));
    if (!messages.every((message) => message !== undefined)) return undefined;
    if (await this.erasedOptOuts.concern(events.map(senderOf))) return undefined;
    const inserted = await this.store.insertExpected(messages);
    return inserted && published(inserted, ({ received }) => [received]);
  }

  private expected(event: InboundEvent): ExpectedMessage | undefined {
    if (!isCustomerMessage(event) || event.data.media) return undefined;
    const sender = senderOf(event);
    const conversationId = this.known.find(sender);
    const { settings, words } = this.wording.get(event.business_id) ?? DEFAULT_WORDING;
    if (conversationId === undefined || optWord(event.data.text, settings) !== null) return undefined;
    const names = aliasesOf(sender).map((alias) => ({ businessId: event.business_id, alias }));
    return { ...this.receivedIn(conversationId, event), names, words };
  }

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
    const senders = messages.map(senderOf);
    const ids = await this.conversations.findOrOpen(tx, senders);
    senders.forEach((sender, i) => this.known.remember(sender, ids[i] as number));
    const inserted = await this.store.insertNew(
      tx,
      messages.map((event, i) => firstMessage(this.receivedIn(ids[i] as number, event))),
    );
    for (const message of inserted) this.rememberWording(message);
    await this.storedFiles.add(
      tx,
      inserted.map(({ message }) => message),
    );
    const suppressed: EventEnvelope[] = [];
    for (const message of inserted) suppressed.push(...(await this.applyOptWord(tx, message)));
    // Publish conversation.created before its message.received (decision 29b).
    const events = published(inserted, ({ created, received }, starts) => (starts ? [created, received] : [received]));
    return [...events, ...suppressed];
  }

  private receivedIn(conversationId: number, event: InboundEvent): InboundMessage {
    return withTraceparent(traceparentOf(event), () => ({
      event,
      conversationId,
      received: newEvent(MessageReceived, {
        ...common(event, conversationId),
        id: `message.received:${event.business_id}:${event.data.message_id}`,
        data: receivedData(event, conversationId, this.config.publicUrl),
      }),
    }));
  }

  /** Remembers the words of a business, but not the default ones, which most have. */
  private rememberWording({ message, wording }: Recorded<FirstMessage>): void {
    const { business_id } = message.event;
    if (wording.words === DEFAULT_WORDING.words) this.wording.delete(business_id);
    else if (this.wording.size < MOST_WORDINGS || this.wording.has(business_id)) this.wording.set(business_id, wording);
  }

  private async applyOptWord(tx: Tx, { message, wording }: Recorded<FirstMessage>): Promise<EventEnvelope[]> {
    const { event, conversationId } = message;
    const { text, sent_at: at } = event.data;
    const word = optWord(text, wording.settings);
    if (word === null) return [];
    const change = { businessId: event.business_id, conversations: [conversationId], source: 'person' as const, at };
    const write = () =>
      word === 'stop'
        ? this.suppressions.set(tx, conversationId, 'person', 'opted_out', at)
        : this.suppressions.lift(tx, conversationId, at);
    return (await this.suppressionChanges.apply(tx, change, write)).events;
  }
}

function published<M extends InboundMessage>(
  inserted: Recorded<M>[],
  eventsOf: (message: M, startsConversation: boolean) => EventEnvelope[],
): EventEnvelope[] {
  const events = inserted.flatMap(({ message, startsConversation }) => eventsOf(message, startsConversation));
  allowDirectPublish(events, inserted[0]?.older ?? null);
  return events;
}

function common({ business_id, data }: InboundEvent, conversationId: number) {
  return { at: data.sent_at, business_id, key: `conversation:${conversationId}` };
}

/** Builds the message's events within the trace of the callback. */
function firstMessage(message: InboundMessage): FirstMessage {
  const { event, conversationId } = message;
  return withTraceparent(traceparentOf(event), () => ({
    ...message,
    created: newEvent(ConversationCreated, {
      ...common(event, conversationId),
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
