import { Type } from '@sinclair/typebox';
import {
  CountedBar,
  CountedFailure,
  Currency,
  FindDeliveries,
  GetTimeline,
  Id,
  IsoTime,
  ListMessages,
  LoggedMessage,
  MessageCounts,
  Nullable,
  UsageBilling,
  UsageLine,
} from '@mgw/contracts';

export const MessagesResponse = Type.Object(
  { messages: ListMessages.response.properties.messages, next_cursor: ListMessages.response.properties.next_cursor },
  { title: 'MessageLog' },
);

export const MessageCountsResponse = Type.Object(
  {
    from: IsoTime,
    to: { ...IsoTime, description: 'Excluded.' } as typeof IsoTime,
    timezone: Type.String({ description: 'The zone of the bars.' }),
    bar_minutes: Type.Integer({ description: 'The length of a bar: a quarter of an hour, one hour, three hours or a day.' }),
    bars: Type.Array(CountedBar, {
      description:
        'Messages by the time when they were sent, and by sender. `sent`: accepted by WhatsApp; `delivered` includes read ones; `refused`: WhatsApp did not take them.',
    }),
    previous: Nullable({
      ...MessageCounts,
      description: 'Counts of the period of the same length before a named one.',
    } as typeof MessageCounts),
    failures: Type.Array(CountedFailure, { description: 'Failed and refused messages by WhatsApp’s code, the most frequent 100 codes.' }),
  },
  { title: 'MessageCounts' },
);

export const MessageDetailResponse = Type.Object(
  {
    message: LoggedMessage,
    cost: Type.Optional({
      ...GetTimeline.response.properties.cost,
      description: 'By the rate card, of a delivered message that WhatsApp charges; absent without a rate.',
    } as typeof GetTimeline.response.properties.cost),
    timeline: Type.Array(Type.Object({ status: Type.String(), at: IsoTime, reason: Nullable(Type.String()) }), {
      description: 'accepted, then the statuses of the platform, oldest first.',
    }),
    webhooks: Nullable(
      Type.Array(FindDeliveries.response.properties.deliveries.items, {
        description: 'Deliveries of its message.sent and message.status to webhooks; null if the dispatcher did not respond in time.',
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
    billing: Type.Array(UsageBilling, {
      description:
        'Delivered messages by WhatsApp’s category and type. Messages whose price WhatsApp has not reported are in `usage` only.',
    }),
    currency: Nullable(Currency),
    keys: Type.Array(Type.Object({ id: Id, name: Type.String(), daily_limit: Type.Integer(), used_today: Nullable(Type.Integer()) }), {
      description: 'Active keys, with today’s use of their caps; the newest of those that replaced each other.',
    }),
  },
  { title: 'Usage' },
);
