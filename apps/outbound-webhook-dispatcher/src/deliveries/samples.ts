import {
  AiReplied,
  BroadcastCompleted,
  ConversationCreated,
  MessageReceived,
  MessageSent,
  type DataOf,
  type PublicEventName,
} from '@mgw/contracts';

interface Samples {
  'message.received': DataOf<typeof MessageReceived>;
  'message.sent': DataOf<typeof MessageSent>;
  'conversation.created': DataOf<typeof ConversationCreated>;
  'broadcast.completed': DataOf<typeof BroadcastCompleted>;
  'ai.replied': DataOf<typeof AiReplied>;
}

/** Test data for each event of spec §6.2, for people who build receivers. */
export function sampleData(event: PublicEventName, business_id: number): Samples[PublicEventName] {
  const message_id = 'wamid.TEST';
  const conversation_id = 1;
  const phone = '919876543210';
  const samples: Samples = {
    'message.received': { message_id, from: phone, from_name: 'Test', type: 'text', text: 'This is a test.', conversation_id, business_id },
    'message.sent': { message_id, to: phone, type: 'text', text: 'This is a test.', sent_by: 'api', conversation_id, business_id },
    'conversation.created': {
      conversation_id,
      customer_phone: phone,
      customer_name: 'Test',
      first_message: 'This is a test.',
      business_id,
    },
    'broadcast.completed': { broadcast_id: 1, template_name: 'test', total_recipients: 2, sent: 1, failed: 1, business_id },
    'ai.replied': { message_id, to: phone, ai_response: 'This is a test.', conversation_id, business_id },
  };
  return samples[event];
}
