import { GatewayError, gatewayMessageId, invalidField, type ResponseOf, type Sender, type SendText } from '@mgw/contracts';
import type { EarlierSend, Reservation } from '../intents/intent';

/** A send may take half a minute, and each retry counts against the limits of its key. */
const IN_FLIGHT_RETRY_SECONDS = 3;

/** Returns the result of the first send with this Idempotency-Key (decisions 24 and 40). @throws GatewayError unless that send was accepted */
export function replayEarlier(earlier: EarlierSend, sender: Sender): ResponseOf<typeof SendText> {
  if (earlier.fingerprint() !== sender.idempotency?.fingerprint) {
    throw new GatewayError('IDEMPOTENCY_MISMATCH', 'This Idempotency-Key was used for another request within the last 24 hours.', {
      hint: 'Use a new key for a new message; repeat a request unchanged.',
    });
  }
  if (earlier.state === 'accepted' && earlier.messageId !== null) {
    return { message_id: earlier.messageId, phone: earlier.to, replayed: true };
  }
  if (earlier.state === 'calling') {
    throw new GatewayError('IDEMPOTENCY_IN_FLIGHT', 'The first request with this Idempotency-Key is still in progress.', {
      hint: 'Retry in a few seconds.',
      retry_after_seconds: IN_FLIGHT_RETRY_SECONDS,
    });
  }
  throw outcomeUnknown(earlier.id, 409);
}

export function dailyLimitReached(
  sender: Pick<Sender, 'daily_limit' | 'plan'>,
  { used, secondsToMidnight }: Pick<Reservation & { kind: 'capped' }, 'used' | 'secondsToMidnight'>,
  message = `The daily limit of ${sender.daily_limit} messages is reached.`,
): GatewayError {
  return new GatewayError('DAILY_LIMIT_REACHED', message, {
    daily_limit: sender.daily_limit,
    daily_used: used,
    plan: sender.plan,
    retry_after: 'midnight',
    retry_after_seconds: secondsToMidnight,
  });
}

/** OTPs may reach people who opted out, so a MARKETING template must not pass as an OTP (spec §4.7, decision 18). */
export function marketingTemplateForOtp(template: string): GatewayError {
  const message = 'must name an OTP template, of category AUTHENTICATION or UTILITY';
  return new GatewayError('VALIDATION_FAILED', `template_name ${message}: "${template}" is MARKETING.`, {
    details: [{ field: 'template_name', message }],
  });
}

/** The message is unknown, of another business or of another person: the response is the same for all. */
export function foreignMessage(field: string): GatewayError {
  return invalidField(field, 'must be the id of a message from or to this person');
}

/** The file is unknown, expired or of another business. */
export function foreignFile(field: string): GatewayError {
  return invalidField(field, 'must be the id of a file that this business uploaded or received, and that WhatsApp still has');
}

export function noTimeLeft(): GatewayError {
  return new GatewayError('OVERLOADED', 'The deadline had passed, so nothing was sent. Try again shortly.');
}

/** The number's share of waiting sends is full (guarantees §10, N2). */
export function numberBusy(): GatewayError {
  const message = 'Too many messages of this number wait for the messaging platform, which responds slowly, so nothing was sent.';
  return new GatewayError('PLATFORM_THROTTLED', message, { hint: 'Send more slowly and try again later.', retry_after_seconds: 5 });
}

export function platformUnreachable(intentId: string): GatewayError {
  return new GatewayError('PLATFORM_UNAVAILABLE', 'The messaging platform cannot be reached now; nothing was sent.', {
    message_id: gatewayMessageId(intentId),
    hint: 'Try again shortly.',
  });
}

/** The gateway never retries an unclear send, because the message may have been sent (decision 23). */
export function outcomeUnknown(intentId: string, status?: number): GatewayError {
  const message = 'The messaging platform gave no clear response, so the message may have been sent. The gateway does not retry it.';
  const hint = 'Check the status of this message_id before you send it again.';
  return new GatewayError('OUTCOME_UNKNOWN', message, { message_id: gatewayMessageId(intentId), hint }, status);
}
