import { Type } from '@sinclair/typebox';
import { CheckBroadcast, GetBroadcast, ListBroadcasts, ListRecipients } from '@mgw/contracts';

export const BroadcastsResponse = Type.Object(ListBroadcasts.reply.properties, { title: 'Broadcasts' });
export const BroadcastResponse = Type.Object(
  { ...GetBroadcast.reply.properties.broadcast.properties, failures: GetBroadcast.reply.properties.failures },
  { title: 'Broadcast' },
);
export const RecipientsResponse = Type.Object(ListRecipients.reply.properties, { title: 'BroadcastRecipients' });
export const CheckResponse = Type.Object(CheckBroadcast.reply.properties, { title: 'BroadcastCheck' });
