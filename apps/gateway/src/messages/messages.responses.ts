import { Type } from '@sinclair/typebox';
import { FindDeliveries, Id, IsoTime, ListMessages, LoggedMessage, Nullable, UsageLine } from '@mgw/contracts';

export const MessagesResponse = Type.Object(
  { messages: ListMessages.reply.properties.messages, next_cursor: ListMessages.reply.properties.next_cursor },
  { title: 'MessageLog' },
);

export const MessageDetailResponse = Type.Object(
  {
    message: LoggedMessage,
    timeline: Type.Array(Type.Object({ status: Type.String(), at: IsoTime, reason: Nullable(Type.String()) }), {
      description: 'accepted, then the statuses of the platform, oldest first.',
    }),
    webhooks: Nullable(
      Type.Array(FindDeliveries.reply.properties.deliveries.items, {
        description: 'Deliveries of its message.sent to webhooks; null if the dispatcher did not respond in time.',
      }),
    ),
  },
  { title: 'MessageDetail' },
);

export const UsageResponse = Type.Object(
  {
    from: Type.String(),
    to: Type.String(),
    timezone: Type.String(),
    usage: Type.Array(UsageLine),
    keys: Type.Array(Type.Object({ id: Id, name: Type.String(), daily_limit: Type.Integer(), used_today: Nullable(Type.Integer()) }), {
      description: 'Active keys, with today’s use of their caps.',
    }),
  },
  { title: 'Usage' },
);
