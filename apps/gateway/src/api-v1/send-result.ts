import { GatewayError } from '@mgw/contracts';

const NOTE = 'Accepted by the messaging platform, which is not delivery: follow it with GET /message-status/{message_id}.';

/** What every send answers (spec §2.2). */
export function sendResult({ message_id, phone }: { message_id: string; phone: string }) {
  return { success: true as const, message_id, phone, delivery_status: 'queued' as const, note: NOTE };
}

/** No answer of the send service in time: the message may be on its way (product decision 23). */
export function unsureIsUnknown(error: unknown): never {
  if (error instanceof GatewayError && ['DEADLINE_EXCEEDED', 'REPLY_LOST'].includes(error.error_code)) {
    throw new GatewayError('OUTCOME_UNKNOWN', 'The send was interrupted: the message may have been sent. It is not sent again by itself.', {
      hint: 'With an Idempotency-Key the same request can be repeated safely.',
    });
  }
  throw error;
}
