import type { ErrorCode } from '@mgw/contracts';
import type { Refusal, SideEffect } from './refusal';

/** How the gateway handles a group of the platform's error codes: platform §2, row by row. */
export interface ErrorRule {
  readonly codes: readonly number[];
  /** Inclusive range of codes. */
  readonly range?: readonly [number, number];
  /** Narrows a code with several meanings. */
  readonly subcode?: number;
  readonly errorCode: ErrorCode;
  readonly retry: Refusal['retry'];
  /** The problem, in a sentence without its full stop, because the platform's details may follow. */
  readonly text: string;
  readonly hint: string | null;
  readonly sideEffect?: SideEffect;
  /** Seconds to wait if the platform names none. */
  readonly retryAfterSeconds?: number;
  /** Hides the platform's details from the caller, because they may name credentials or accounts. */
  readonly detailsHidden?: true;
  /** The account, the number or the template does not work now, so any recipient would get this error (decision 620). */
  readonly anyRecipient?: true;
}

const RECONNECT = 'Check the connection in the dashboard and enter a valid access token.';
const PERMIT = 'Give the system user access to the WhatsApp account with whatsapp_business_messaging, then check the connection.';
const REGISTER = 'Register the phone number on the platform, then check the connection in the dashboard.';
const SLOWER = 'Send more slowly and try again later.';
const PARAMS = 'Correct the request as the details describe.';
const MEDIA = 'Check that the link is public and that the file has a supported type and size.';

const disconnected = {
  errorCode: 'NOT_CONNECTED',
  retry: 'never',
  sideEffect: 'connection-problem',
  detailsHidden: true,
  anyRecipient: true,
} as const;
const refused = { errorCode: 'PLATFORM_REFUSED', retry: 'never' } as const;
const throttled = { errorCode: 'PLATFORM_THROTTLED', retry: 'later' } as const;
const unavailable = {
  errorCode: 'PLATFORM_UNAVAILABLE',
  text: 'The messaging platform is not available at the moment',
  hint: 'Try again in a moment.',
} as const;

/** The first matching rule applies. Rules match `error.code`, never the HTTP status or the title (platform §0.13). */
// oxfmt-ignore
export const ERROR_TABLE: readonly ErrorRule[] = [
  { ...disconnected, codes: [0, 190], text: 'The messaging connection is not established: the access token is invalid or expired', hint: RECONNECT },
  { ...disconnected, codes: [33], text: 'The messaging connection is not established: the phone number is unknown to the platform', hint: RECONNECT },
  { ...disconnected, codes: [100], subcode: 33, text: 'The messaging connection is not established: the phone number is unknown to the platform', hint: RECONNECT },
  { ...disconnected, codes: [3, 10, 131005], range: [200, 299], text: 'The messaging connection lacks a permission', hint: PERMIT },
  { ...disconnected, codes: [131045, 133000, 133006, 133010, 133015], text: 'The messaging connection is not established: the phone number is not registered', hint: REGISTER },
  { ...disconnected, codes: [131031, 368], text: 'The messaging connection is not established: the platform has locked the account', hint: 'See the account\'s quality page on the platform.' },
  { ...refused, codes: [100, 131008, 131009, 135000], text: 'The platform found a parameter missing or invalid', hint: PARAMS },
  { ...refused, codes: [131021], text: 'The recipient is the sender itself', hint: 'Send to another number.' },
  { ...refused, codes: [131030], text: 'Test numbers may only write to listed recipients', hint: 'Add the recipient to the test number\'s list on the platform.' },
  { ...refused, codes: [131051], text: 'The platform does not support this type of message', hint: null },
  { ...refused, codes: [131026], text: 'The recipient cannot be reached on WhatsApp', hint: 'The number may not be on WhatsApp, or its app is too old.' },
  { errorCode: 'WINDOW_CLOSED', retry: 'never', codes: [131047], text: 'More than 24 hours have passed since the recipient last wrote', hint: 'Send an approved template instead (POST /send-template).', sideEffect: 'window-closed' },
  { ...refused, codes: [131049], text: 'The platform limits marketing messages to this recipient', hint: 'Do not send it again before 24 hours have passed.' },
  { errorCode: 'RECIPIENT_SUPPRESSED', retry: 'never', codes: [131050], text: 'The recipient has stopped marketing messages from this business', hint: null, sideEffect: 'marketing-opt-out' },
  { ...refused, codes: [130472], text: 'The recipient takes part in an experiment of the platform and does not get this message', hint: 'Use another channel.' },
  { ...throttled, codes: [131048], text: 'The platform restricts this number because of blocks and reports', hint: 'See the number\'s quality on the platform and send less.', sideEffect: 'quality-problem', retryAfterSeconds: 3600, anyRecipient: true },
  { ...throttled, codes: [131056], text: 'Too many messages to this recipient in a short time', hint: 'Wait before writing to this recipient again; others are not affected.', retryAfterSeconds: 6 },
  { ...throttled, codes: [130429], retry: 'inline', text: 'The number is over the platform\'s messages-per-second limit', hint: SLOWER, retryAfterSeconds: 1 },
  { ...throttled, codes: [4, 80007, 613], text: 'The platform\'s call limit is reached', hint: SLOWER, retryAfterSeconds: 60 },
  { ...throttled, codes: [133016], text: 'The platform\'s limit of registrations is reached', hint: SLOWER, retryAfterSeconds: 3600 },
  { ...throttled, codes: [131064], text: 'The messaging limit is reached because of how templates were classified', hint: SLOWER, sideEffect: 'quality-problem', retryAfterSeconds: 3600, anyRecipient: true },
  { ...unavailable, codes: [1, 2, 131000, 131016, 133004], retry: 'inline' },
  { ...unavailable, codes: [131057, 2494100], retry: 'later', text: 'The messaging platform is in maintenance', hint: 'Try again after a minute.', retryAfterSeconds: 60 },
  { ...refused, codes: [130497], text: 'This business may not write to people in the recipient\'s country', hint: null },
  { ...refused, codes: [131037], text: 'The number\'s display name is not approved', hint: 'Have the display name approved on the platform.', anyRecipient: true },
  { ...refused, codes: [131042, 131044], text: 'The platform found a problem with the account\'s payment method', hint: 'Correct the payment method on the platform.', sideEffect: 'billing-problem', anyRecipient: true },
  { ...refused, codes: [131052, 131053], text: 'The platform could not fetch the media', hint: MEDIA },
  { ...refused, codes: [131062], text: 'This message cannot be sent to a business-scoped user id', hint: 'Use the recipient\'s phone number.' },
  { ...refused, codes: [131063], text: 'Marketing templates are disabled for this account', hint: null, anyRecipient: true },
  { errorCode: 'TEMPLATE_PARAMS_MISMATCH', retry: 'never', codes: [132000], text: 'The number of parameters differs from the template\'s', hint: 'Give one value for each variable of the template.', sideEffect: 'templates-stale' },
  { errorCode: 'TEMPLATE_NOT_FOUND', retry: 'never', codes: [132001], text: 'The template does not exist in that language or is not approved', hint: 'List the approved templates with GET /templates.', sideEffect: 'templates-stale', anyRecipient: true },
  { ...refused, codes: [132005, 132007, 132008, 132012, 132018], text: 'The platform did not accept the template\'s parameters', hint: PARAMS },
  { ...refused, codes: [132015, 132016], text: 'The template is paused or disabled', hint: 'Use another template or see its quality on the platform.', sideEffect: 'templates-stale', anyRecipient: true },
  { ...refused, codes: [132068], text: 'The flow is blocked', hint: null, anyRecipient: true },
  { ...refused, codes: [132069], retry: 'later', text: 'The flow is throttled', hint: SLOWER },
  { ...refused, codes: [134011], text: 'The platform\'s payment terms are not accepted', hint: 'Accept the terms on the platform.', anyRecipient: true },
  { ...refused, codes: [137000], text: 'The recipient\'s identity has changed', hint: null },
];

/** For codes that no row names (platform §2, last row). */
export const UNKNOWN_REFUSED: ErrorRule = { ...refused, codes: [], text: 'The messaging platform refused the request', hint: null };
export const UNKNOWN_THROTTLED: ErrorRule = {
  ...throttled,
  codes: [],
  text: 'The messaging platform limits requests',
  hint: SLOWER,
  retryAfterSeconds: 5,
};
export const UNKNOWN_UNAVAILABLE: ErrorRule = { ...unavailable, codes: [], retry: 'inline' };

/** Whether any recipient of the same message would get this error, by the code of a refusal or of a failure report. */
export function anyRecipientFails(code: number, subcode: number | null = null): boolean {
  return ruleFor(code, subcode)?.anyRecipient === true;
}

export function ruleFor(code: number, subcode: number | null): ErrorRule | undefined {
  return ERROR_TABLE.find(
    (rule) =>
      (rule.subcode === undefined || rule.subcode === subcode) &&
      (rule.codes.includes(code) || (rule.range !== undefined && code >= rule.range[0] && code <= rule.range[1])),
  );
}
