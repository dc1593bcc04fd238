import { GatewayError, gatewayMessageId, isNoResponse, type Sender } from '@mgw/contracts';

const NOTE = 'Accepted by the messaging platform, which is not delivery: follow it with GET /message-status/{message_id}.';

/** The members of every send result (spec §2.2). */
export function sendResult({ message_id, phone }: { message_id: string; phone: string }) {
  return { success: true as const, message_id, phone, delivery_status: 'queued' as const, note: NOTE };
}

/** Maps a missing response of the send service to OUTCOME_UNKNOWN: the message may have been sent (decision 23). */
export function asOutcomeUnknown({ intent_id, idempotency }: Sender & { intent_id: string }) {
  return (error: unknown): never => {
    if (!isNoResponse(error)) throw error;
    const hint = idempotency
      ? 'Repeat the request with the same Idempotency-Key: it is not sent twice.'
      : 'Check the status of this message_id before you send it again.';
    const message = 'The send was interrupted, so the message may have been sent. The gateway does not retry it.';
    throw new GatewayError('OUTCOME_UNKNOWN', message, { message_id: gatewayMessageId(intent_id), hint });
  };
}
