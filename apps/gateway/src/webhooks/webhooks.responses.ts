import { Type } from '@sinclair/typebox';
import { GetDelivery, Id, ListDeliveries, ListWebhooks } from '@mgw/contracts';

export const WebhooksResponse = Type.Object(ListWebhooks.reply.properties, { title: 'Webhooks' });
export const DeliveriesResponse = Type.Object(ListDeliveries.reply.properties, { title: 'Deliveries' });
export const DeliveryResponse = Type.Object(GetDelivery.reply.properties, { title: 'DeliveryDetail' });
export const Tested = Type.Object({ message: Type.String(), delivery_id: Id }, { title: 'TestedWebhook' });
