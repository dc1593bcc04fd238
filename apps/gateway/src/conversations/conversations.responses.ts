import { Type } from '@sinclair/typebox';
import { ConversationRecord, DeliveryStatus, NextCursor, Nullable, ThreadMessage } from '@mgw/contracts';

export const ConversationsResponse = Type.Object(
  {
    conversations: Type.Array(
      Type.Composite([
        ConversationRecord,
        Type.Object({
          needs_agent: Nullable(
            Type.Boolean({
              description:
                'True if auto-reply should have replied to the customer’s last message and did not; null if that is currently unknown.',
            }),
          ),
        }),
      ]),
    ),
    next_cursor: NextCursor,
  },
  { title: 'Conversations' },
);

export const ThreadResponse = Type.Object(
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
      {
        description:
          'The newest first. delivery_status is null for messages from the customer, and when the status service did not respond in time.',
      },
    ),
    next_cursor: NextCursor,
  },
  { title: 'Thread' },
);
