import type { Connection, ConnectionCheck } from '@mgw/contracts';
import type { PhoneNumberNode, ReadOutcome, SubscribedApp, TokenNode, WebhookConfiguration } from '@mgw/platform-api';
import { problemOf } from './probe.service';

/** The platform's responses to one check of a connection. */
interface CheckedParts {
  token: ReadOutcome<{ data: TokenNode }>;
  number: ReadOutcome<PhoneNumberNode>;
  /** Null if the stored app secret does not open. */
  proof: ReadOutcome<{ id: string }> | null;
  apps: ReadOutcome<{ data: SubscribedApp[] }>;
  callback: ReadOutcome<{ webhook_configuration?: WebhookConfiguration }>;
}

type Name = ConnectionCheck['name'];
type Failed = Exclude<ReadOutcome<never>, { kind: 'ok' }>;

const SCOPES = ['whatsapp_business_messaging', 'whatsapp_business_management'];
const DAY_MS = 24 * 60 * 60_000;
/** A token that expires earlier needs a new one now. */
const EXPIRES_SOON_MS = 7 * DAY_MS;
const NO_RESPONSE = 'WhatsApp did not respond; check again in a moment';
const TOKEN_FIRST = 'This can be checked when the access token works';
const NEW_TOKEN =
  'In Meta’s business settings open Users → System users, generate a token that never expires, and enter it in the step Access token.';
const GRANT = 'Generate the token again and select both whatsapp_business_messaging and whatsapp_business_management.';

const ok = (name: Name, message: string, at: string | null = null): ConnectionCheck => ({ name, state: 'ok', message, fix: null, at });
const problem = (name: Name, message: string, fix: string, at: string | null = null): ConnectionCheck => ({
  name,
  state: 'problem',
  message,
  fix,
  at,
});
const unknown = (name: Name, message: string): ConnectionCheck => ({ name, state: 'unknown', message, fix: null, at: null });

/** The check list of a connection, in the order in which problems are best solved. */
export function connectionChecks(connection: Connection, parts: CheckedParts, callbackUrl: string): ConnectionCheck[] {
  const { token, number, proof, apps, callback } = parts;
  const tokenNode = token.kind === 'ok' && token.value.data.is_valid ? token.value.data : null;
  return [
    tokenCheck(token),
    permissionsCheck(tokenNode, connection.business_account_id),
    numberCheck(number),
    appSecretCheck(proof),
    subscriptionCheck(apps, tokenNode?.app_id, connection.business_account_id),
    callbackCheck(callback, callbackUrl),
  ];
}

/** The check list of a connection whose stored access token does not open. */
export function checksWithoutToken(): ConnectionCheck[] {
  const others = ['permissions', 'number', 'app_secret', 'subscription', 'callback'] as const;
  return [
    problem(
      'token',
      'The stored access token cannot be read, so nothing can be sent',
      'Enter the access token again in the step Access token.',
    ),
    ...others.map((name) => unknown(name, TOKEN_FIRST)),
  ];
}

function tokenCheck(outcome: CheckedParts['token']): ConnectionCheck {
  if (outcome.kind !== 'ok') return isTokenRefused(outcome) ? refusedToken() : unclear('token', outcome);
  const { is_valid, expires_at = 0 } = outcome.value.data;
  if (!is_valid) return refusedToken();
  if (expires_at === 0) return ok('token', 'The access token works and never expires');
  const expiry = expires_at * 1_000;
  // A time that JavaScript cannot hold counts as never.
  if (!(Math.abs(expiry) <= 8.64e15)) return ok('token', 'The access token works');
  const at = new Date(expiry).toISOString();
  if (expiry > Date.now() + EXPIRES_SOON_MS) return ok('token', 'The access token works and expires', at);
  return problem('token', 'The access token expires, and nothing can be sent from then on', NEW_TOKEN, at);
}

function refusedToken(): ConnectionCheck {
  return problem('token', 'WhatsApp refuses the access token: it is wrong, expired or revoked', NEW_TOKEN);
}

function permissionsCheck(token: TokenNode | null, account: string): ConnectionCheck {
  if (token === null) return unknown('permissions', TOKEN_FIRST);
  const missing = SCOPES.filter((scope) => !token.scopes?.includes(scope));
  if (missing.length > 0) return problem('permissions', `The access token lacks ${missing.join(' and ')}`, GRANT);
  const elsewhere = token.granular_scopes?.some(
    ({ scope, target_ids }) => SCOPES.includes(scope) && target_ids !== undefined && !target_ids.includes(account),
  );
  if (!elsewhere) return ok('permissions', 'The access token may send messages and manage templates');
  return problem(
    'permissions',
    `The access token has no access to the business account ${account}`,
    'In Meta’s business settings open Accounts → WhatsApp accounts, assign the account to the system user with full control, and generate the token again.',
  );
}

function numberCheck(outcome: CheckedParts['number']): ConnectionCheck {
  if (outcome.kind !== 'ok') {
    if (!isDenied(outcome)) return unclear('number', outcome);
    return problem(
      'number',
      'The access token reaches no phone number with this id',
      'Copy the phone number id from API Setup, which is not the phone number itself, and assign its WhatsApp account to the system user.',
    );
  }
  const { display_phone_number = 'The number', verified_name, health_status } = outcome.value;
  const cause = problemOf(outcome.value);
  const fix = 'Open WhatsApp Manager → Phone numbers in Meta’s business settings: it shows the reason and the remedy.';
  if (cause !== null) return problem('number', cause.replace(/\.$/, ''), fix);
  if (health_status?.can_send_message === 'LIMITED') return problem('number', limitOf(health_status), fix);
  return ok('number', `${display_phone_number}${verified_name === undefined ? '' : ` (${verified_name})`} can send messages`);
}

function limitOf({ entities = [] }: NonNullable<PhoneNumberNode['health_status']>): string {
  const [reason] = entities.flatMap(({ additional_info = [], errors = [] }) => [
    ...additional_info,
    ...errors.map(({ error_description }) => error_description),
  ]);
  return `WhatsApp limits messages from this number${reason === undefined ? '' : `: ${reason}`}`;
}

function appSecretCheck(outcome: CheckedParts['proof']): ConnectionCheck {
  if (outcome === null)
    return problem(
      'app_secret',
      'The stored app secret cannot be read, so callbacks are refused',
      'Enter the app secret again in the step App secret.',
    );
  if (outcome.kind === 'ok') return ok('app_secret', 'The app secret belongs to the app of the access token');
  if (outcome.kind === 'unavailable' || !outcome.refusal.message.includes('appsecret_proof')) return unclear('app_secret', outcome);
  return problem(
    'app_secret',
    'The app secret does not belong to the app of the access token, so every callback is refused',
    'Copy the app secret from App settings → Basic of the app for which the token was generated.',
  );
}

function subscriptionCheck(outcome: CheckedParts['apps'], app: string | undefined, account: string): ConnectionCheck {
  if (outcome.kind !== 'ok') {
    if (!isDenied(outcome)) return unclear('subscription', outcome);
    return problem(
      'subscription',
      `The access token cannot read the business account ${account}`,
      'Copy the WhatsApp business account id from API Setup, and assign the account to the system user.',
    );
  }
  const ids = outcome.value.data.map((one) => one?.whatsapp_business_api_data?.id);
  const isSubscribed = app === undefined ? ids.length > 0 : ids.includes(app);
  if (isSubscribed) return ok('subscription', 'The app is subscribed to the business account');
  return problem(
    'subscription',
    'The app is not subscribed to the business account, so no message and no status arrives',
    'Select Subscribe here.',
  );
}

/** Only messages follow the number's and the account's own addresses; updates of templates and accounts go to the app's. */
function callbackCheck(outcome: CheckedParts['callback'], expected: string): ConnectionCheck {
  if (outcome.kind !== 'ok') return unclear('callback', outcome);
  const { phone_number, whatsapp_business_account, application } = outcome.value.webhook_configuration ?? {};
  const ofMessages = phone_number || whatsapp_business_account || application;
  if (!ofMessages)
    return problem(
      'callback',
      'Meta’s app has no callback URL',
      'Enter the callback URL and the verify token in Meta’s console: step Callback.',
    );
  if (!isSameUrl(ofMessages, expected)) {
    const fix =
      ofMessages === application
        ? 'Replace it with the callback URL of the step Callback.'
        : 'The number or the account overrides the callback URL of the app: remove the override, or ask whoever set it.';
    return problem('callback', `WhatsApp posts messages to ${shortened(ofMessages)}, not to this gateway`, fix);
  }
  if (application && !isSameUrl(application, expected))
    return problem(
      'callback',
      `WhatsApp posts updates of templates and of the account to ${shortened(application)}`,
      'Enter the callback URL of the step Callback in the app too.',
    );
  return ok('callback', 'WhatsApp posts to the callback URL of this gateway');
}

function isSameUrl(a: string, b: string): boolean {
  return URL.canParse(a) && new URL(a).href === new URL(b).href;
}

function shortened(url: string): string {
  return url.length <= 100 ? url : `${url.slice(0, 99)}…`;
}

function isTokenRefused(outcome: Failed): boolean {
  return outcome.kind === 'refused' && [0, 190].includes(outcome.refusal.platformCode ?? -1);
}

/** The token works, but not for this object. */
function isDenied(outcome: Failed): boolean {
  return outcome.kind === 'refused' && outcome.refusal.errorCode === 'NOT_CONNECTED' && !isTokenRefused(outcome);
}

function unclear(name: Name, outcome: Failed): ConnectionCheck {
  if (isTokenRefused(outcome)) return unknown(name, TOKEN_FIRST);
  return unknown(name, outcome.kind === 'refused' ? outcome.refusal.message.replace(/\.$/, '') : NO_RESPONSE);
}
