import { Type } from '@sinclair/typebox';
import { CheckBroadcast, GetBroadcast, ListBroadcasts, ListRecipients } from '@mgw/contracts';

export const BroadcastsReply = Type.Object(ListBroadcasts.reply.properties, { title: 'Broadcasts' });
export const BroadcastReply = Type.Object(
  { ...GetBroadcast.reply.properties.broadcast.properties, failures: GetBroadcast.reply.properties.failures },
  { title: 'Broadcast' },
);
export const RecipientsReply = Type.Object(ListRecipients.reply.properties, { title: 'BroadcastRecipients' });
export const CheckReply = Type.Object(CheckBroadcast.reply.properties, { title: 'BroadcastCheck' });
