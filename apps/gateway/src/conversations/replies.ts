import { Type } from '@sinclair/typebox';
import { ConversationRecord, DeliveryStatus, ListConversations, NextCursor, Nullable, ThreadMessage } from '@mgw/contracts';

export const ConversationsReply = Type.Object(ListConversations.reply.properties, { title: 'Conversations' });

export const ThreadReply = Type.Object(
  {
    conversation: ConversationRecord,
    messages: Type.Array(
      Type.Composite([
        ThreadMessage,
        Type.Object({
          delivery_status: Nullable(DeliveryStatus),
          failure_reason: Nullable(Type.String()),
        }),
      ]),
      { description: 'The newest first; delivery_status is null for what the customer wrote, and when it could not be asked for in time.' },
    ),
    next_cursor: NextCursor,
  },
  { title: 'Thread' },
);
