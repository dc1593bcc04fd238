import { Type } from '@sinclair/typebox';
import { FindDeliveries, Id, IsoTime, ListMessages, LoggedMessage, Nullable, UsageLine } from '@mgw/contracts';

export const MessagesResponse = Type.Object(ListMessages.reply.properties, { title: 'MessageLog' });

export const MessageDetailResponse = Type.Object(
  {
    message: LoggedMessage,
    timeline: Type.Array(Type.Object({ status: Type.String(), at: IsoTime, reason: Nullable(Type.String()) }), {
      description: 'accepted, then what the platform told, oldest first.',
    }),
    webhooks: Nullable(
      Type.Array(FindDeliveries.reply.properties.deliveries.items, {
        description: 'Webhooks that carried its message.sent; null when they could not be asked for in time.',
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
      description: 'Keys in use, with today’s use of their caps.',
    }),
  },
  { title: 'Usage' },
);
