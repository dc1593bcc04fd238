import { Type } from '@sinclair/typebox';
import {
  ConversationRecord,
  DeliveryStatus,
  FoundMessage,
  Id,
  LastMessage,
  ListConversations,
  NextCursor,
  Note,
  Nullable,
  ThreadMessage,
} from '@mgw/contracts';

const Named = Type.Object({ id: Id, name: Type.String() });
const named = (description: string) => Nullable({ ...Named, description } as typeof Named);

const Conversation = Type.Composite([
  Type.Omit(ConversationRecord, ['assigned_to', 'last_message']),
  Type.Object({
    assigned_to: named('The person who handles it; the name is "" for somebody who was removed.'),
    last_message: Nullable(
      Type.Composite([
        Type.Omit(LastMessage, ['user_id', 'conversation_id']),
        Type.Object({ author: named('The person of the business who wrote it; the name is "" for somebody who was removed.') }),
      ]),
    ),
  }),
]);

export const ConversationResponse = Type.Object({ conversation: Conversation }, { title: 'Conversation' });

export const ConversationsResponse = Type.Object(
  {
    conversations: Type.Array(
      Type.Composite([
        Conversation,
        Type.Object({
          found: Type.Optional({
            ...FoundMessage,
            description: 'With `q`: the newest message that has all words of it.',
          } as typeof FoundMessage),
          needs_agent: Nullable(
            Type.Boolean({
              description:
                'True if auto-reply should have replied to the customer’s last message and did not; null if that is currently unknown.',
            }),
          ),
        }),
      ]),
    ),
    counts: {
      ...ListConversations.response.properties.counts,
      description: 'Conversations of each view; `waiting`: their customer waits for a reply. 1,000 stands for more.',
    } as typeof ListConversations.response.properties.counts,
    waiting_since: {
      ...ListConversations.response.properties.waiting_since,
      description: 'Since when the customer who has waited longest waits for a reply; null if nobody does.',
    } as typeof ListConversations.response.properties.waiting_since,
    next_cursor: NextCursor,
  },
  { title: 'Conversations' },
);

export const ThreadResponse = Type.Object(
  {
    conversation: Conversation,
    messages: Type.Array(
      Type.Composite([
        Type.Omit(ThreadMessage, ['user_id', 'api_key_id']),
        Type.Object({
          author: named('The person of the business who wrote it; the name is "" for somebody who was removed.'),
          api_key: named('The API key that sent it.'),
          delivery_status: Nullable(DeliveryStatus),
          failure_reason: Nullable(Type.String()),
        }),
      ]),
      {
        description:
          'The newest first. delivery_status is null for messages from the customer, and when the status service did not respond in time.',
      },
    ),
    newest_notes: Type.Optional(
      Type.Array(
        Type.Composite([
          Type.Omit(Note, ['user_id']),
          Type.Object({ author: { ...Named, description: 'Who wrote it; the name is "" for somebody who was removed.' } as typeof Named }),
        ]),
        { description: 'The newest five notes of the whole conversation, the newest first; with the first page.' },
      ),
    ),
    next_cursor: NextCursor,
  },
  { title: 'Thread' },
);
