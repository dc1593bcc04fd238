import type { ErrorCode } from '@mgw/contracts';

/** Texts for the page of an error. Backticks mark code. */
interface ErrorTexts {
  meaning: string;
  /** The remedy for the caller. */
  remedy: string;
  /** How to retry the request; absent if only a change can help. */
  retry?: string;
  /** Members of an example in addition to `success` and `error_code`; a test checks them against the schema. */
  example: { error: string } & Record<string, unknown>;
}

const INTERNAL_ONLY = 'Only the gateway’s log has this code; the caller gets `INTERNAL`.';
const LATER = 'Retry after some seconds, with a longer pause each time.';
const WAIT = 'Wait for the seconds in the header `Retry-After`, then repeat the request unchanged.';

/** The compiler requires an entry for each code of the catalogue. */
export const ERROR_TEXTS: Record<ErrorCode, ErrorTexts> = {
  VALIDATION_FAILED: {
    meaning: 'Something in the request is missing or wrong: a field, the query, a header, or the JSON itself.',
    remedy: 'Correct the fields in `details`, which lists all errors at once.',
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
    remedy: 'Send a valid key in the header `X-API-Key`. An owner of the business creates keys on the dashboard, under API & Integrations.',
    example: { error: 'The API key is missing, invalid or expired. Send it in the header X-API-Key.' },
  },
  NOT_AUTHENTICATED: {
    meaning: 'There is no session, it has ended, or the email or password is wrong.',
    remedy: 'Log in with `POST /api/client/login`, then send its cookie.',
    example: { error: 'Log in first: there is no session, or it has ended.' },
  },
  ACCOUNT_REQUIRED: {
    meaning:
      'The person has proved who they are, and has accounts at several businesses: with one password, or one address at the login provider.',
    remedy: 'Send the login again with the `user_id` of one of `accounts`.',
    example: {
      error: 'Choose one of your accounts.',
      accounts: [
        { user_id: 7, business: 'Growth', role: 'owner' },
        { user_id: 31, business: 'Northwind', role: 'agent' },
      ],
    },
  },
  TOTP_REQUIRED: {
    meaning: 'The password is right, and the person has two-step login.',
    remedy: 'Send the login again with `code`: the current code of the authenticator app, or a recovery code.',
    example: { error: 'Enter the code of your authenticator app, or a recovery code.' },
  },
  TOTP_SETUP_REQUIRED: {
    meaning: 'The business, or the gateway for its operators, requires two-step login, and this person has none yet.',
    remedy: 'Set it up on the account page (`POST` and `PUT /api/client/me/totp`). Everything else works afterwards.',
    example: { error: 'Set up two-step login on your account page first.' },
  },
  PLAN_NOT_ALLOWED: {
    meaning: 'The plan of the business, Starter, does not include sending through the API.',
    remedy: 'Ask the operator to change the plan to Growth or Pro.',
    example: { error: 'The Starter plan cannot send messages through the API.' },
  },
  BUSINESS_SUSPENDED: {
    meaning: 'The operator suspended the business. Its keys are refused and nothing is sent; messages of customers are still stored.',
    remedy: 'Ask the operator why, and to resume the business.',
    example: { error: 'The operator suspended this business.' },
  },
  IP_NOT_ALLOWED: {
    meaning: 'The key works from certain addresses only, and the request came from another one.',
    remedy:
      'Call from an allowed address, or add yours to the key under API & Integrations, which shows the address of its last use. ' +
      'If that is your proxy’s address, the operator sets `TRUSTED_PROXIES`.',
    example: { error: 'This API key does not work from your address.' },
  },
  PERMISSION_DENIED: {
    meaning: 'The key lacks the permission of the endpoint, the user’s role does not allow this, or a write came from another origin.',
    remedy:
      'Use a key with the permission (or `*`), or ask an owner of the business. Browsers can write from the gateway’s own pages only.',
    example: { error: 'This API key lacks the permission "send_otp".' },
  },
  NOT_CONNECTED: {
    meaning:
      'The business has no working connection to WhatsApp: it was never set up, its token has expired, or WhatsApp restricts the account.',
    remedy:
      'See the connection on the dashboard, under Settings, which shows the problem. `GET /api/v1/health` shows whether it works again.',
    example: {
      error: 'The messaging connection of this business is not established.',
      hint: 'Set the connection up in the dashboard and check it there.',
    },
  },
  WINDOW_CLOSED: {
    meaning:
      'Free text and media are allowed for 24 hours after the customer’s last message. The customer has not written, or wrote earlier.',
    remedy: 'Send an approved template (`POST /api/v1/send-template`), which needs no open window. The customer’s reply opens the window.',
    example: {
      error: 'The 24-hour window is closed: the recipient has not written to this business within the last 24 hours.',
      session_window: { open: false, last_inbound_at: '2026-01-31T09:30:00.000Z' },
      hint: 'Send an approved template instead (POST /send-template): templates need no open window.',
    },
  },
  RECIPIENT_SUPPRESSED: {
    meaning: 'The recipient opted out, or the business blocked the recipient; `suppression_state` shows which.',
    remedy:
      'Do not send to them. `opted_out` ends when they write START; an owner can lift it, or `blocked`, on the dashboard. ' +
      '`opted_out_marketing` suppresses MARKETING templates only.',
    example: { error: 'The recipient has opted out of messages from this business.', suppression_state: 'opted_out' },
  },
  TEMPLATE_NOT_FOUND: {
    meaning: 'The business has no approved template of that name in that language. The gateway does not choose another language.',
    remedy: 'Use one of `available_languages`, or see `GET /api/v1/templates`. A new template appears after the next sync.',
    example: {
      error: 'Template "order_update" does not exist or is not approved in language "fr".',
      available_languages: ['en'],
      hint: 'It is approved in: en. Name one of them as the language.',
    },
  },
  TEMPLATE_PARAMS_MISMATCH: {
    meaning: 'The number of values differs from the number of variables in that part of the template.',
    remedy: 'Send `expected` values in `body_params`, `header_params` or `button_params`, depending on `component`.',
    example: { error: 'Template "order_update" needs 2 body parameters, but got 1.', component: 'body', expected: 2, given: 1 },
  },
  DAILY_LIMIT_REACHED: {
    meaning:
      'The key has used all its sends of the day. Accepted and unresolved sends count; the day ends at midnight in the business’s time zone.',
    remedy: 'Send the rest after midnight, or ask the operator to raise the key’s daily limit or the plan.',
    retry: 'After midnight; the header `Retry-After` has the seconds until then.',
    example: {
      error: 'The daily limit of 150 messages is reached.',
      daily_limit: 150,
      daily_used: 150,
      plan: 'Growth',
      retry_after: 'midnight',
    },
  },
  BROADCAST_LIMIT_REACHED: {
    meaning:
      'The broadcast has more recipients than the business may still write to on the day of its start. A day ends at midnight in the ' +
      'business’s time zone. Nothing was sent.',
    remedy: 'Shorten the list, schedule the broadcast for another day, or ask the operator to raise the limit.',
    retry: 'After `resets_at`; the header `Retry-After` has the seconds until then.',
    example: {
      error: 'The broadcast has 1200 recipients, and 1000 of 1000 are left for that day. Nothing was sent.',
      limit: 1000,
      used: 0,
      resets_at: '2026-01-05T18:30:00.000Z',
    },
  },
  RATE_LIMITED: {
    meaning:
      'Too many requests in the last minute, of this key or of all keys; too many wrong keys or logins from one address; or too many requests or bytes in flight at once.',
    remedy: 'Spread the requests: `RateLimit-Remaining` shows on every response how many are left. A refused request does not count.',
    retry: WAIT,
    example: { error: 'Rate limit exceeded. Wait before you try again.', retry_after_seconds: 17 },
  },
  NOT_FOUND: {
    meaning: 'No resource has this path, or the business has none with this id.',
    remedy: 'Check path and id: paths are case-sensitive and have no slash at the end. Resources of other businesses also return 404.',
    retry: 'Query the status of a message again some seconds after the send. Otherwise the response stays the same.',
    example: {
      error: 'No message of this business has that id.',
      hint: 'The status appears a few seconds after sending: try again shortly.',
    },
  },
  MEDIA_EXPIRED: {
    meaning: 'WhatsApp has deleted the file. It keeps a customer’s file for 7 days and an uploaded one for 30.',
    remedy: 'Download files when their message arrives.',
    example: {
      error: 'WhatsApp has deleted this file.',
      hint: 'WhatsApp keeps a customer’s file for 7 days and an uploaded one for 30. Download files when their message arrives.',
    },
  },
  METHOD_NOT_ALLOWED: {
    meaning: 'The path exists but takes another method. A HEAD or a prefetch never sends.',
    remedy: 'Use the method that `error` names.',
    example: { error: 'This path takes POST.' },
  },
  PAYLOAD_TOO_LARGE: {
    meaning: 'The body is larger than the endpoint takes, or the file is larger than WhatsApp takes.',
    remedy: 'Send less in one request: media by URL or upload, and a long list in several parts. `error` has the limit.',
    example: { error: 'The body is too large: this endpoint takes at most 64 kB.' },
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning:
      'The content type is not JSON, or the body has a Content-Encoding, or WhatsApp does not take files of this type, or the file is of another type.',
    remedy:
      'Send the header `Content-Type: application/json`, and JSON in the body. For a file, send its own type. Do not compress the body.',
    example: { error: 'Send Content-Type: application/json.' },
  },
  IDEMPOTENCY_IN_FLIGHT: {
    meaning: 'The first request with this `Idempotency-Key` is still in progress.',
    remedy: 'Wait: the gateway is still sending the first request.',
    retry: 'Repeat it with the same `Idempotency-Key` after `retry_after_seconds`. You get the first response, and nothing is sent twice.',
    example: {
      error: 'The first request with this Idempotency-Key is still in progress.',
      hint: 'Retry in a few seconds.',
      retry_after_seconds: 3,
    },
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
    meaning: 'The current state does not allow it: a name is taken, a limit is reached, or something has ended or is in progress.',
    remedy: '`error` names the reason.',
    example: { error: 'There is a user with this email already.' },
  },
  PLATFORM_REFUSED: {
    meaning: 'WhatsApp refused the message; `platform_code` is WhatsApp’s code. Nothing was sent, and the message does not count.',
    remedy: 'Follow `hint`. The message log lists the send under `message_id`.',
    example: {
      error: 'The recipient cannot be reached on WhatsApp.',
      hint: 'The number may not be on WhatsApp, or its app is too old.',
      message_id: 'gw_0199c3f0-5b1e-7c42-9d6a-2f8e4b7a1c05',
      platform_code: 131026,
    },
  },
  PLATFORM_THROTTLED: {
    meaning:
      'A limit of WhatsApp refused the message: too many at once, too many to this recipient, or too many complaints. Without `platform_code`, too many messages of this number already wait for WhatsApp.',
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
    meaning:
      'The response of WhatsApp was unclear: the message may have been sent, or the change made. The gateway never repeats it by itself.',
    remedy:
      'Query the status of `message_id` (`GET /api/v1/message-status/gw_…`). It is final as soon as WhatsApp reports on the message. A change of a template or of the subscription has no `message_id`: look at the list of templates after its sync, or run the checks of the connection.',
    retry:
      'A send only with the same `Idempotency-Key`, so that nothing is sent twice. Without one the customer may get the message twice. A change without a `message_id` only if the list or the checks do not show it.',
    example: {
      error: 'The messaging platform gave no clear response, so the message may have been sent. The gateway does not retry it.',
      message_id: 'gw_0199c3f0-5b1e-7c42-9d6a-2f8e4b7a1c05',
      hint: 'Check the status of this message_id before you send it again.',
    },
  },
  MODEL_UNAVAILABLE: {
    meaning: 'The language model of auto-reply did not respond, or its reply cannot be sent.',
    remedy: 'Check address, key and name of the model under Auto-reply; `error` has the response of the model’s server.',
    retry: LATER,
    example: { error: 'No reply: the model responded with 401.' },
  },
  QUERY_TIMEOUT: {
    meaning: 'A list or a search of the dashboard took longer than two seconds, or waited too long to start. The gateway stopped it.',
    remedy: 'Narrow the search: give a phone number, more of a name, or fewer days.',
    retry: LATER,
    example: {
      error: 'The search took too long, so it was stopped. Narrow it: give a phone number, more of a name, or fewer days. Then try again.',
    },
  },
  OVERLOADED: {
    meaning: `A service has too many requests, or no replica of it is running. Nothing was done. ${INTERNAL_ONLY}`,
    remedy:
      'For operators: find the service that is down or busy. If only the sends of one business fail, look for the line `opening the key of erasures of a business failed` in the log of `send`: ' +
      'operations.md says under “Secrets” how to restore this key.',
    retry: LATER,
    example: { error: 'The service is busy. Try again shortly.' },
  },
  DEADLINE_EXCEEDED: {
    meaning: `A service did not respond in time. ${INTERNAL_ONLY} A send gets \`OUTCOME_UNKNOWN\`.`,
    remedy: 'For operators: find the slow service.',
    retry: LATER,
    example: { error: 'The service is busy. Try again shortly.' },
  },
  REPLY_LOST: {
    meaning: `The connection between services broke before the response arrived: the request may have had its effect. ${INTERNAL_ONLY} A send gets \`OUTCOME_UNKNOWN\`.`,
    remedy: 'For operators: check whether NATS or a service stopped.',
    example: { error: 'The service is busy. Try again shortly.' },
  },
  INTERNAL: {
    meaning: 'Something went wrong in the gateway, or a part of it does not respond.',
    remedy: 'If it persists, send the operator the header `X-Request-Id` of the response, which leads to the log line.',
    retry: 'After some seconds if the body has `retryable: true`; repeat a send only with an `Idempotency-Key`.',
    example: { error: 'The service is busy. Try again shortly.', retryable: true },
  },
};
