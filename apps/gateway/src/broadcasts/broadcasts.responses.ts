import { Type } from '@sinclair/typebox';
import { CheckBroadcast, GetBroadcast, ListBroadcasts, ListRecipients } from '@mgw/contracts';

export const BroadcastsResponse = Type.Object(ListBroadcasts.reply.properties, { title: 'Broadcasts' });
const { broadcast, ...progress } = GetBroadcast.reply.properties;
export const BroadcastResponse = Type.Object({ ...broadcast.properties, ...progress }, { title: 'Broadcast' });
const { recipients, next_cursor } = ListRecipients.reply.properties;
export const RecipientsResponse = Type.Object(
  { recipients: Type.Array(Type.Omit(recipients.items, ['body_params', 'header_params', 'button_params'])), next_cursor },
  { title: 'BroadcastRecipients' },
);
export const CheckResponse = Type.Object(CheckBroadcast.reply.properties, { title: 'BroadcastCheck' });
