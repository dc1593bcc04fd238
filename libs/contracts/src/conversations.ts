import { Type, type Static } from '@sinclair/typebox';
import { characters, described, Id, Idempotency, IsoTime, MessageId, Nullable, Recipient } from './fields';
import { inboundDetails } from './inbound-details';
import { LABEL_NAME, MAX_INBOX_LIST } from './inbox-lists';
import { sentDetails } from './sent-details';
import { operation } from './operation';
import { NextCursor, PageRequest, Period, RowCursors } from './paging';

/** Decision 18. */
export const SuppressionStateName = Type.Union([Type.Literal('opted_out'), Type.Literal('blocked'), Type.Literal('opted_out_marketing')]);
export type SuppressionStateName = Static<typeof SuppressionStateName>;

/** Maximum number of labels of a conversation, unless two were merged. */
export const MAX_LABELS = 20;

const Direction = Type.Union([Type.Literal('in'), Type.Literal('out')]);

const ConversationStatus = Type.Union([Type.Literal('open'), Type.Literal('closed')]);

/** The newest message of a conversation. */
export const LastMessage = Type.Object({
  direction: Direction,
  type: Type.String(),
  text: Type.String(),
  at: IsoTime,
  /** The sender of a message of the business: `agent`, `ai`, `api` or `broadcast`. */
  sent_by: Type.Optional(Nullable(Type.String())),
  /** The user who sent the message. */
  user_id: Type.Optional(Id),
  /** The conversation in which it was exchanged, which may have been merged into this one. */
  conversation_id: Type.Optional(Id),
});
export type LastMessage = Static<typeof LastMessage>;

/** A person and the state of the conversation with them. */
export const ConversationRecord = Type.Object({
  id: Id,
  /** Digits, or the business-scoped user id if the platform withholds the phone. */
  customer_phone: Type.String(),
  customer_name: Type.String(),
  session_window: Type.Object({ open: Type.Boolean(), last_inbound_at: Nullable(IsoTime), closes_at: Nullable(IsoTime) }),
  suppression_state: Nullable(SuppressionStateName),
  /** The user who handles it. */
  assigned_to: Nullable(Id),
  status: ConversationStatus,
  /** Messages of the customer since somebody opened the conversation or replied. */
  unread_count: Type.Integer({ minimum: 0 }),
  /** Since when the customer waits for a reply. */
  waiting_since: Nullable(IsoTime),
  /** Absent from services of the previous version. */
  last_received_at: Type.Optional(
    Type.Union([IsoTime, Type.Null()], {
      description: 'When the newest message of the customer arrived here, without reactions; null if none did.',
    }),
  ),
  /** Names of labels. */
  labels: Type.Array(Type.String()),
  /** False if auto-reply is off for this conversation. */
  auto_reply: Type.Boolean(),
  first_inbound_at: Nullable(IsoTime),
  last_message: Nullable(LastMessage),
  created_at: IsoTime,
});
export type ConversationRecord = Static<typeof ConversationRecord>;

export const ThreadMessage = Type.Object({
  message_id: MessageId,
  direction: Direction,
  type: Type.String(),
  /** Text or caption; "" when there is neither. */
  text: Type.String(),
  media: Nullable(Type.Object({ type: Type.String(), id: Type.String(), mime_type: Type.String() })),
  sent_by: Nullable(Type.String()),
  template: Nullable(Type.String()),
  /** The user who sent the message. */
  user_id: Type.Optional(Id),
  /** The API key that sent the message. */
  api_key_id: Type.Optional(Id),
  at: IsoTime,
  ...inboundDetails,
  ...sentDetails,
  edited_at: Type.Optional({ ...IsoTime, description: 'When the customer edited the message; `text` is the new one' } as typeof IsoTime),
  deleted_at: Type.Optional({ ...IsoTime, description: 'When the customer deleted the message' } as typeof IsoTime),
});
export type ThreadMessage = Static<typeof ThreadMessage>;

export const INBOX_VIEWS = ['mine', 'unassigned', 'open', 'closed', 'all'] as const;
export type InboxView = (typeof INBOX_VIEWS)[number];

/** A count of conversations stops here. */
export const MAX_COUNT = 1_000;
const Count = Type.Integer({ minimum: 0, maximum: MAX_COUNT });

/** A message with the words of a search. */
export const FoundMessage = Type.Object({
  message_id: MessageId,
  direction: Direction,
  /** The part of the text around the first word. */
  text: Type.String(),
  at: IsoTime,
});
export type FoundMessage = Static<typeof FoundMessage>;

/** In a search: with the newest message that matches. */
const ListedConversation = Type.Composite([ConversationRecord, Type.Object({ found: Type.Optional(FoundMessage) })]);

/**
 * Lists conversations: those that wait for a reply first, then the last active ones. People who never wrote appear only in a search, which
 * lists matching names and numbers first, then conversations with a matching message, each by activity.
 */
export const ListConversations = operation('send', 'list-conversations', {
  isRead: true,
  request: Type.Object({
    business_id: Id,
    ...PageRequest,
    search: Nullable(characters(100)),
    /** `all` by default. */
    view: Type.Optional(Type.Union(INBOX_VIEWS.map((view) => Type.Literal(view)))),
    /** The user whose conversations are `mine`. */
    user_id: Type.Optional(Id),
    /** Only conversations with unread messages. */
    unread: Type.Optional(Type.Boolean()),
    /** Only conversations with this label. */
    label: Type.Optional(characters(LABEL_NAME)),
  }),
  response: Type.Object({
    conversations: Type.Array(ListedConversation),
    counts: Type.Object({ mine: Count, unassigned: Count, open: Count, closed: Count, unread: Count, waiting: Count }),
    /** Since when the customer who has waited longest waits for a reply; null if nobody does. */
    waiting_since: Nullable(IsoTime),
    next_cursor: NextCursor,
  }),
});

/** Maximum number of notes that a thread has in addition to its messages. */
export const NEWEST_NOTES = 5;

/** A note that only the business sees. */
export const Note = Type.Object({
  message_id: MessageId,
  text: Type.String(),
  /** The user who wrote it. */
  user_id: Id,
  at: IsoTime,
});
export type Note = Static<typeof Note>;

/** One conversation and its messages, the newest first. */
export const GetThread = operation('send', 'get-thread', {
  isRead: true,
  request: Type.Object({
    business_id: Id,
    conversation_id: Id,
    ...PageRequest,
    /** Whether the colleagues' notes are among the messages, with the type `note`. */
    notes: Type.Optional(Type.Boolean()),
  }),
  response: Type.Object({
    conversation: ConversationRecord,
    messages: Type.Array(ThreadMessage),
    /** The newest notes of the whole conversation, with the first page if `notes` is true. */
    newest_notes: Type.Optional(Type.Array(Note)),
    next_cursor: NextCursor,
  }),
  errors: ['NOT_FOUND'],
});

/** Changes only the given fields. A label of a new name is created. */
export const UpdateConversation = operation('send', 'update-conversation', {
  request: Type.Object({
    business_id: Id,
    conversation_id: Id,
    assigned_to: Type.Optional(Nullable(Id)),
    status: Type.Optional(ConversationStatus),
    /** Marks the customer's messages as read. */
    read: Type.Optional(Type.Literal(true)),
    labels: Type.Optional(Type.Array(characters(LABEL_NAME, 1), { maxItems: MAX_INBOX_LIST })),
    /** The labels from which the caller began: only the difference between them and `labels` is added and removed. */
    labels_before: Type.Optional(Type.Array(characters(LABEL_NAME, 1), { maxItems: MAX_INBOX_LIST })),
    auto_reply: Type.Optional(Type.Boolean()),
    /** Changes nothing if a message of the customer arrived after this time: CONFLICT. */
    nothing_received_since: Type.Optional(IsoTime),
  }),
  response: Type.Object({ conversation: ConversationRecord }),
  errors: ['NOT_FOUND', 'CONFLICT'],
});

/** Takes conversations from somebody who left the team. */
export const UnassignConversations = operation('send', 'unassign-conversations', {
  request: Type.Object({ business_id: Id, user_id: Id }),
  response: Type.Object({}),
  errors: [],
});

/** Adds a note that only the business sees. */
export const AddNote = operation('send', 'add-note', {
  request: Type.Object({
    ...{ business_id: Id, conversation_id: Id, user_id: Id, text: characters(4096, 1) },
    idempotency: Type.Optional(Nullable(Idempotency)),
  }),
  /** `replayed`: an earlier request with the same Idempotency-Key added it. */
  response: Type.Object({ id: Id, replayed: Type.Optional(Type.Boolean()) }),
  errors: ['NOT_FOUND', 'IDEMPOTENCY_MISMATCH'],
});

/** The conversation with a person; null if there is none. */
export const FindConversation = operation('send', 'find-conversation', {
  isRead: true,
  request: Type.Object({ business_id: Id, phone: Recipient }),
  response: Type.Object({ conversation: Nullable(ConversationRecord) }),
});

/** A message from a person, in the message log. */
export const InboundMessage = Type.Composite([
  Type.Omit(ThreadMessage, ['direction', 'sent_by', 'template', 'at']),
  Type.Object({
    from: Type.String(),
    from_name: Type.String(),
    /** When the person sent it, by the platform's clock. */
    sent_at: IsoTime,
  }),
]);
export type InboundMessage = Static<typeof InboundMessage>;

/** Messages from people, the newest first. */
export const ListInboundMessages = operation('send', 'list-inbound', {
  isRead: true,
  request: Type.Object({ business_id: Id, ...PageRequest, phone: Nullable(characters(140)), ...Period }),
  response: Type.Object({ messages: Type.Array(InboundMessage), next_cursor: NextCursor, cursors: RowCursors }),
});

/** The strictest suppression of a person, set by the person, the platform, the dashboard or an API key. */
export const SuppressionRecord = Type.Object({
  phone: Type.String({ description: 'Digits with country code, or the business-scoped user id.' }),
  state: SuppressionStateName,
  source: Type.Union(
    (['person', 'platform', 'dashboard', 'api'] as const).map((source) => Type.Literal(source)),
    { description: 'Who set it: `person` by a word such as STOP, `platform` by their choice in WhatsApp.' },
  ),
  reason: described(Nullable(Type.String()), 'Why, if it is known.'),
  since: described(IsoTime, 'When it began.'),
});
export type SuppressionRecord = Static<typeof SuppressionRecord>;

export const ListSuppressions = operation('send', 'list-suppressions', {
  isRead: true,
  request: Type.Object({ business_id: Id, ...PageRequest }),
  response: Type.Object({
    suppressions: Type.Array(SuppressionRecord, {
      description: 'Sorted by `since`. A person whose suppression changes while you read the pages moves to the first page of a new list.',
    }),
    next_cursor: NextCursor,
  }),
});

export const GetSuppression = operation('send', 'get-suppression', {
  isRead: true,
  request: Type.Object({ business_id: Id, phone: Recipient }),
  response: Type.Object({ suppression: Nullable(SuppressionRecord) }),
});

/** Finds the people to whom a template would not be sent, because they opted out or are blocked. Sends nothing and reserves nothing. */
export const FindSuppressed = operation('send', 'find-suppressed', {
  isRead: true,
  request: Type.Object({
    business_id: Id,
    phones: Type.Array(Recipient, { maxItems: 20_000 }),
    /** Whether the template is MARKETING, which fewer people accept. */
    marketing: Type.Boolean(),
  }),
  response: Type.Object({ phones: Type.Array(Recipient) }),
});

/** Whether a person or an API key decided for the business. */
const BusinessSource = Type.Union([Type.Literal('dashboard'), Type.Literal('api')]);

/** Sets the suppression of the dashboard or of API keys; the person's START does not lift it (decision 45). */
export const SetSuppression = operation('send', 'set-suppression', {
  request: Type.Object({
    business_id: Id,
    phone: Recipient,
    state: SuppressionStateName,
    reason: Nullable(characters(500)),
    /** The dashboard by default. */
    source: Type.Optional(BusinessSource),
  }),
  response: Type.Object({}),
});

/** Maximum number of rows of an import. */
export const MAX_IMPORTED = 10_000;

/** Sets the suppression of API keys for many people, except where one as strict or a newer lift exists (decision 362). */
export const ImportSuppressions = operation('send', 'import-suppressions', {
  request: Type.Object({
    business_id: Id,
    rows: Type.Array(
      Type.Object({ phone: Recipient, state: SuppressionStateName, reason: Nullable(characters(500)), since: Nullable(IsoTime) }),
      { maxItems: MAX_IMPORTED },
    ),
    source: Type.Optional(BusinessSource),
  }),
  response: Type.Object({ added: Type.Integer(), unchanged: Type.Integer() }),
  deadlineMs: 30_000,
});

/** Lifts every suppression of a person. NOT_FOUND without one. */
export const LiftSuppression = operation('send', 'lift-suppression', {
  request: Type.Object({ business_id: Id, phone: Recipient, source: Type.Optional(BusinessSource) }),
  response: Type.Object({}),
  errors: ['NOT_FOUND'],
});

const Words = Type.Array(Type.String({ minLength: 1 }), { maxItems: 50 });

/** A business's own rules for sending (decisions 18 and 45). The gateway bounds the length of words. */
export const SendSettings = Type.Object({
  stop_words: Words,
  start_words: Words,
  /** Sends one-time passwords even to people who have opted out. */
  otp_to_opted_out: Type.Boolean(),
  /** Marks a customer's messages as read when a person opens the conversation in the inbox. */
  mark_read_on_open: Type.Boolean(),
});
export type SendSettings = Static<typeof SendSettings>;

export const GetSendSettings = operation('send', 'get-settings', {
  request: Type.Object({ business_id: Id }),
  response: SendSettings,
});

/** Changes only the given fields. */
export const SetSendSettings = operation('send', 'set-settings', {
  request: Type.Composite([Type.Object({ business_id: Id }), Type.Partial(SendSettings)]),
  response: Type.Object({}),
});
