import { Type } from '@sinclair/typebox';
import { GetDelivery, Id, ListDeliveries, ListWebhooks } from '@mgw/contracts';

export const WebhooksResponse = Type.Object(ListWebhooks.response.properties, { title: 'Webhooks' });
export const DeliveriesResponse = Type.Object(ListDeliveries.response.properties, { title: 'Deliveries' });
export const DeliveryResponse = Type.Object(GetDelivery.response.properties, { title: 'DeliveryDetail' });
export const Tested = Type.Object({ message: Type.String(), delivery_id: Id }, { title: 'TestedWebhook' });
