import type { ErrorCode } from '@mgw/contracts';

/** What the page of an error says of it beside what the catalogue, the document and the schemas know. `code` stands in backticks. */
export interface ErrorWords {
  meaning: string;
  /** What to do about it. */
  remedy: string;
  /** How to repeat the request; left out where the same request gets the same answer until something has changed. */
  retry?: string;
  /** Members of an answer beside `success` and `error_code`, as the schema of its body has them. */
  example: { error: string } & Record<string, unknown>;
}

const NOT_TOLD = 'The gateway’s log says it of a request; the caller is told `INTERNAL`.';
const LATER = 'Repeat it after some seconds, with a longer pause each time.';
const WAIT = 'Wait for the seconds of the header `Retry-After`, then repeat the request as it was.';

/** A word of the catalogue without a row here does not compile. */
export const ERROR_WORDS: Record<ErrorCode, ErrorWords> = {
  VALIDATION_FAILED: {
    meaning: 'Something in the request is missing or wrong: a field, the query, a header, or the JSON itself.',
    remedy: 'Correct the fields that `details` names: it names all that are wrong at once.',
    example: {
      error: 'phone must be a string; template_name must not be blank.',
      details: [
        { field: 'phone', message: 'must be a string' },
        { field: 'template_name', message: 'must not be blank' },
      ],
    },
  },
  INVALID_API_KEY: {
    meaning: 'The API key is missing, wrong, expired or revoked, or it came twice.',
    remedy: 'Send a valid key in the header `X-API-Key`. The owner of the business makes one on the dashboard, under API & Integrations.',
    example: { error: 'The API key is missing, invalid or expired. Send it in the header X-API-Key.' },
  },
  NOT_AUTHENTICATED: {
    meaning: 'There is no session, or it has ended, or the email and the password do not belong together.',
    remedy: 'Log in with `POST /api/client/login`, and send the cookie that it sets.',
    example: { error: 'Log in first: there is no session, or it has ended.' },
  },
  PLAN_NOT_ALLOWED: {
    meaning: 'The business’s plan has no sends through the API: that is so on Starter.',
    remedy: 'Have the operator change the plan to Growth or Pro.',
    example: { error: 'The Starter plan cannot send messages through the API.' },
  },
  PERMISSION_DENIED: {
    meaning:
      'The key lacks the permission that the endpoint needs, the person’s role may not do this, or a write came from another origin.',
    remedy:
      'Use a key that holds the permission (or `*`), or ask an owner of the business. Browsers must call from the gateway’s own pages.',
    example: { error: 'This API key lacks the permission "send_otp".' },
  },
  NOT_CONNECTED: {
    meaning:
      'The business has no working connection to WhatsApp: it was never set up, its token has expired, or WhatsApp restricts the account.',
    remedy:
      'Look at the connection on the dashboard, under Settings: it says what is wrong. `GET /api/v1/health` tells whether it works again.',
    example: {
      error: 'The messaging connection of this business is not established.',
      hint: 'Set the connection up in the dashboard and check it there.',
    },
  },
  WINDOW_CLOSED: {
    meaning: 'Free text and media may go out for 24 hours after the customer last wrote. They have not written, or too long ago.',
    remedy:
      'Send an approved template (`POST /api/v1/send-template`): it needs no open window. When the customer answers, the window is open.',
    example: {
      error: 'The 24-hour window is closed: the recipient has not written to this business within the last 24 hours.',
      session_window: { open: false, last_inbound_at: '2026-01-31T09:30:00.000Z' },
      hint: 'Send an approved template instead (POST /send-template): templates need no open window.',
    },
  },
  RECIPIENT_SUPPRESSED: {
    meaning: 'The recipient does not want these messages, or was blocked by the business; `suppression_state` says which.',
    remedy:
      'Do not send to them. `opted_out` ends when they write START; an owner can lift it, or `blocked`, on the dashboard. ' +
      '`opted_out_marketing` keeps back MARKETING templates only.',
    example: { error: 'The recipient has opted out of messages from this business.', suppression_state: 'opted_out' },
  },
  TEMPLATE_NOT_FOUND: {
    meaning: 'The business has no template of that name that is approved in that language. No other language is chosen instead.',
    remedy: 'Name one of `available_languages`, or look at `GET /api/v1/templates`. A new template is there after the next sync.',
    example: {
      error: 'Template "order_update" does not exist or is not approved in language "fr".',
      available_languages: ['en'],
      hint: 'It is approved in: en. Name one of them as the language.',
    },
  },
  TEMPLATE_PARAMS_MISMATCH: {
    meaning: 'The number of values is not the number of variables that the template has in that part of it.',
    remedy: 'Give as many values as `expected` says, in `body_params`, `header_params` or `button_params`, as `component` says.',
    example: { error: 'Template "order_update" needs 2 body parameters, 1 were given.', component: 'body', expected: 2, given: 1 },
  },
  DAILY_LIMIT_REACHED: {
    meaning: 'The sends of the day are used up. Only accepted and unresolved ones count, and the day is that of the business’s time zone.',
    remedy: 'Send the rest after midnight, or have the operator raise the key’s daily limit or the plan.',
    retry: 'From midnight on; the header `Retry-After` has the seconds until then.',
    example: {
      error: 'The daily limit of 150 messages is reached.',
      daily_limit: 150,
      daily_used: 150,
      plan: 'Growth',
      retry_after: 'midnight',
    },
  },
  RATE_LIMITED: {
    meaning:
      'Too many requests in the last minute, of this key or over all; too many wrong keys or logins from one place; or too many requests or bytes in flight at once.',
    remedy: 'Spread the requests: `RateLimit-Remaining` says on every answer how many are left. A refused request is charged to nobody.',
    retry: WAIT,
    example: { error: 'Rate limit exceeded. Wait before you try again.', retry_after_seconds: 17 },
  },
  NOT_FOUND: {
    meaning: 'There is nothing at this path, or nothing of this business with this id.',
    remedy:
      'Check path and id: paths are case-sensitive and have no slash at the end. Another business’s things are not told from missing ones.',
    retry: 'The status of a message may be asked for again some seconds after the send; else the answer stays the same.',
    example: {
      error: 'No message of this business has that id.',
      hint: 'The status appears a few seconds after sending: try again shortly.',
    },
  },
  METHOD_NOT_ALLOWED: {
    meaning: 'The path is right and takes another method. A HEAD or a prefetch never sends.',
    remedy: 'Use the method that `error` names.',
    example: { error: 'This path takes POST.' },
  },
  PAYLOAD_TOO_LARGE: {
    meaning: 'The body is larger than 64 kB, or than 5 MB for broadcasts.',
    remedy: 'Send less in one request: media go by their URL, long lists in several broadcasts.',
    example: { error: 'The body is too large.' },
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning: 'The body is not called JSON.',
    remedy: 'Send the header `Content-Type: application/json`, and JSON in the body.',
    example: { error: 'Send Content-Type: application/json.' },
  },
  IDEMPOTENCY_IN_FLIGHT: {
    meaning: 'The first request with this `Idempotency-Key` has not been answered yet.',
    remedy: 'Nothing: the first one is being sent.',
    retry: 'Repeat it with the same `Idempotency-Key` after some seconds: you get the first one’s answer, and nothing is sent twice.',
    example: { error: 'The first request with this Idempotency-Key is still in progress.', hint: 'Retry in a few seconds.' },
  },
  IDEMPOTENCY_MISMATCH: {
    meaning: 'This `Idempotency-Key` came with another request within the last 24 hours.',
    remedy: 'Use a new key for each message, and repeat a request unchanged.',
    example: {
      error: 'This Idempotency-Key was used for another request within the last 24 hours.',
      hint: 'Use a new key for a new message; repeat a request unchanged.',
    },
  },
  CONFLICT: {
    meaning: 'It does not fit what is there now: a name that is taken, a limit that is reached, something that has ended or is under way.',
    remedy: '`error` says what is in the way.',
    example: { error: 'There is a user with this email already.' },
  },
  PLATFORM_REFUSED: {
    meaning: 'WhatsApp refused the message; `platform_code` is its own number for why. Nothing was sent, and it does not count.',
    remedy: 'Do what `hint` says. The id in `message_id` shows the send in the message log.',
    example: {
      error: 'The recipient cannot be reached on WhatsApp.',
      hint: 'The number may not be on WhatsApp, or its app is too old.',
      message_id: 'gw_0199c3f0-5b1e-7c42-9d6a-2f8e4b7a1c05',
      platform_code: 131026,
    },
  },
  PLATFORM_THROTTLED: {
    meaning:
      'WhatsApp’s own limits hold the message back: too many at once, too many to this person, or too many complaints. Without `platform_code`: too many messages of this number already wait for WhatsApp.',
    remedy: 'Send more slowly. With `platform_code` 131056 only this recipient has to wait.',
    retry: WAIT,
    example: {
      error: 'Too many messages to this recipient in a short time.',
      hint: 'Wait before writing to this recipient again; others are not affected.',
      message_id: 'gw_0199c3f0-5b1e-7c42-9d6a-2f8e4b7a1c05',
      platform_code: 131056,
      retry_after_seconds: 6,
    },
  },
  PLATFORM_UNAVAILABLE: {
    meaning: 'WhatsApp cannot be reached or has an outage. Nothing was sent.',
    remedy: 'Send it again later.',
    retry: LATER,
    example: {
      error: 'The messaging platform cannot be reached now; nothing was sent.',
      retryable: true,
      message_id: 'gw_0199c3f0-5b1e-7c42-9d6a-2f8e4b7a1c05',
      hint: 'Try again shortly.',
    },
  },
  OUTCOME_UNKNOWN: {
    meaning: 'WhatsApp gave no clear response, so the message may have been sent. The gateway never retries it.',
    remedy:
      'Ask for the status of `message_id` (`GET /api/v1/message-status/gw_…`): it is settled as soon as WhatsApp reports on the message.',
    retry: 'Only with the same `Idempotency-Key`: it is not sent twice. Without one a repeat may reach the customer a second time.',
    example: {
      error: 'The messaging platform gave no clear response, so the message may have been sent. The gateway does not retry it.',
      message_id: 'gw_0199c3f0-5b1e-7c42-9d6a-2f8e4b7a1c05',
      hint: 'Check the status of this message_id before you send it again.',
    },
  },
  MODEL_UNAVAILABLE: {
    meaning: 'The language model of auto-reply did not answer, or not with anything that can be sent.',
    remedy: 'Check address, key and name of the model under Auto-reply; `error` has what the model’s server said.',
    retry: LATER,
    example: { error: 'No reply: the model answered 401.' },
  },
  QUERY_TIMEOUT: {
    meaning: 'A list or a search of the dashboard took longer than two seconds, or waited too long for its turn. It was stopped.',
    remedy: 'Narrow the search: give a phone number, more of a name, or fewer days.',
    retry: LATER,
    example: {
      error: 'The search took too long, so it was stopped. Narrow it: give a phone number, more of a name, or fewer days. Then try again.',
    },
  },
  OVERLOADED: {
    meaning: `A service has more requests than it takes at once, or none is there. Nothing was done. ${NOT_TOLD}`,
    remedy: 'For operators: see which service is away or busy.',
    retry: LATER,
    example: { error: 'The service is busy. Try again shortly.' },
  },
  DEADLINE_EXCEEDED: {
    meaning: `A service did not answer in time. ${NOT_TOLD} A send is told \`OUTCOME_UNKNOWN\`.`,
    remedy: 'For operators: see which service is slow.',
    retry: LATER,
    example: { error: 'The service is busy. Try again shortly.' },
  },
  REPLY_LOST: {
    meaning: `The connection between services broke before the answer came: it may have been done. ${NOT_TOLD} A send is told \`OUTCOME_UNKNOWN\`.`,
    remedy: 'For operators: see whether NATS or a service was stopped.',
    example: { error: 'The service is busy. Try again shortly.' },
  },
  INTERNAL: {
    meaning: 'Something went wrong on the gateway’s side, or a part of it is away.',
    remedy: 'When it stays so, give the operator the header `X-Request-Id` of the answer: it leads to the line in the log.',
    retry: 'When the body says `retryable: true`, after some seconds; a send always with an `Idempotency-Key`.',
    example: { error: 'The service is busy. Try again shortly.', retryable: true },
  },
};
