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
                'True when the customer’s last message should have been answered automatically and was not; null when that is not known now.',
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
      { description: 'The newest first; delivery_status is null for what the customer wrote, and when it could not be asked for in time.' },
    ),
    next_cursor: NextCursor,
  },
  { title: 'Thread' },
);
