import { EVENT_REFERENCE, type PublicEventName } from '@mgw/contracts';

/** Data of a test event: the example of the reference with the business's id and a message id that WhatsApp never makes. */
export function sampleData(event: PublicEventName, business_id: number): object {
  const { data } = EVENT_REFERENCE[event].example;
  return { ...data, ...('message_id' in data && { message_id: 'wamid.TEST' }), business_id };
}
