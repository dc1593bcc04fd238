import { Type } from '@sinclair/typebox';
import { ConversationRecord, DeliveryStatus, Id, NextCursor, Nullable, ThreadMessage } from '@mgw/contracts';

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

const Named = Type.Object({ id: Id, name: Type.String() });

export const ThreadResponse = Type.Object(
  {
    conversation: ConversationRecord,
    messages: Type.Array(
      Type.Composite([
        Type.Omit(ThreadMessage, ['user_id', 'api_key_id']),
        Type.Object({
          author: Nullable({
            ...Named,
            description: 'The person of the business who wrote it; the name is "" for somebody who was removed.',
          } as typeof Named),
          api_key: Nullable({ ...Named, description: 'The API key that sent it.' } as typeof Named),
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
