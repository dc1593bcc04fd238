import { Injectable } from '@nestjs/common';
import type { EventEnvelope, SendSettings } from '@mgw/contracts';
import { outboxRows } from '@mgw/events';
import { Database, RowSet, type Tx } from '@mgw/postgres';
import type { Alias } from '../conversations/conversation.store';
import { withDefaults, type SettingsRow } from '../settings/settings.store';
import type { InboundEvent } from './inbound-message';

export interface InboundMessage {
  event: InboundEvent;
  conversationId: number;
  /** The event message.received. */
  received: EventEnvelope;
}

/** A message that may be the first one of its conversation. */
export interface FirstMessage extends InboundMessage {
  /** The event conversation.created, published only if the message starts the conversation. */
  created: EventEnvelope;
}

/** A message of a customer who has written before, with what its caller expects of the database. */
export interface ExpectedMessage extends InboundMessage {
  /** Every name of the sender. They lead to the conversation. */
  names: Alias[];
  /** The business's own words of opting out and in, as `send.opt_words` has them. */
  words: string;
}

/** A message that was stored now. */
export interface Recorded<M extends InboundMessage> {
  message: M;
  /** True for the customer's first message in the conversation. */
  startsConversation: boolean;
  /** Older unpublished events of these conversations, for `allowDirectPublish`. */
  older: string[] | null;
  wording: Wording;
}

/** A business's words of opting out and in. */
export interface Wording {
  settings: SendSettings;
  /** Its own words, as `send.opt_words` has them. */
  words: string;
}

type Name = Alias & { conversationId: number };
type Row = InboundMessage & { words: string | null };
type Published = { event: EventEnvelope; nth: number; begins: boolean };

const NAMES = new RowSet<Name>({
  business_id: ['bigint', ({ businessId }) => businessId],
  name: ['text', ({ alias }) => alias],
  conversation_id: ['bigint', ({ conversationId }) => conversationId],
});
const MESSAGES = new RowSet<Row>(
  {
    business_id: ['bigint', ({ event }) => event.business_id],
    words: ['text', ({ words }) => words],
    message_id: ['text', ({ event }) => event.data.message_id],
    conversation_id: ['bigint', ({ conversationId }) => conversationId],
    type: ['text', ({ event }) => event.data.type],
    text: ['text', ({ event }) => event.data.text],
    caption: ['text', ({ event }) => event.data.caption],
    media_type: ['text', ({ event }) => event.data.media?.type ?? null],
    media_id: ['text', ({ event }) => event.data.media?.id ?? null],
    mime_type: ['text', ({ event }) => event.data.media?.mime_type ?? null],
    // Text is encoded in binary (list-parameters.ts).
    details: ['text', ({ event }) => (event.data.details ? JSON.stringify(event.data.details) : null)],
    sent_at: ['timestamptz', ({ event }) => event.data.sent_at],
    name: ['text', ({ event }) => event.data.from.name],
  },
  NAMES.next,
);
const EVENTS = outboxRows(MESSAGES.next);
const PLACES = new RowSet<Published>({ nth: ['bigint', ({ nth }) => nth], begins: ['boolean', ({ begins }) => begins] }, EVENTS.next);
const RECEIVE = `SELECT * FROM send.receive_messages(${[NAMES, MESSAGES, EVENTS, PLACES].map((rows) => rows.lists()).join(', ')})`;

/**
 * Stores messages, opens their windows and writes their events to the outbox. A window opens at the platform's time, never in the future,
 * and never moves back (guarantees §1). It has millisecond precision, like the public API.
 */
@Injectable()
export class InboundStore {
  constructor(private readonly db: Database) {}

  /**
   * @param tx holds the locks of the senders' names
   * @returns the messages that were not stored before, in their order; the platform may repeat a message (platform §0.6)
   */
  async insertNew(tx: Tx, messages: FirstMessage[]): Promise<Recorded<FirstMessage>[]> {
    const inbound = onceEach(messages);
    const rows = inbound.map((message) => ({ ...message, words: null }));
    const events = inbound.flatMap(({ created, received }, i) => [
      { event: created, nth: i + 1, begins: true },
      { event: received, nth: i + 1, begins: false },
    ]);
    return (await receive(tx, inbound, rows, events, [])) ?? [];
  }

  /** Like `insertNew`, in a single statement. @returns undefined if an expectation is wrong; then nothing is stored */
  async insertExpected(messages: ExpectedMessage[]): Promise<Recorded<ExpectedMessage>[] | undefined> {
    const inbound = onceEach(messages);
    const names = inbound.flatMap(({ names, conversationId }) => names.map((name) => ({ ...name, conversationId })));
    const events = inbound.map(({ received }, i) => ({ event: received, nth: i + 1, begins: false }));
    return receive(this.db, inbound, inbound, events, names);
  }
}

async function receive<M extends InboundMessage>(
  tx: Tx,
  inbound: M[],
  messages: Row[],
  events: Published[],
  names: Name[],
): Promise<Recorded<M>[] | undefined> {
  type Stored = { nth: string; begins: boolean; older: string[] | null; words: string } & Pick<SettingsRow, 'stop_words' | 'start_words'>;
  const rows = await tx.query<Stored>(RECEIVE, [
    ...NAMES.values(names),
    ...MESSAGES.values(messages),
    ...EVENTS.values(events.map(({ event }) => event)),
    ...PLACES.values(events),
  ]);
  if (rows[0]?.nth === '0') return undefined;
  return rows.map(({ nth, begins, older, words, ...own }) => ({
    message: inbound[Number(nth) - 1] as M,
    startsConversation: begins,
    older,
    wording: { settings: withDefaults(own), words },
  }));
}

function onceEach<M extends InboundMessage>(messages: M[]): M[] {
  return [...new Map(messages.map((message) => [keyOf(message), message])).values()];
}

function keyOf({ event }: InboundMessage): string {
  return `${event.business_id}:${event.data.message_id}`;
}
