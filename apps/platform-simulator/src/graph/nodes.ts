import type { FastifyRequest } from 'fastify';
import type { Account } from '../accounts/accounts';
import { accountFor, businessAccountFor, pick, tokenOf, type ById } from './access';
import { type SimulatorParts } from '../simulator-parts';

export const APP = { id: '500400300200101', name: 'Simulated app', link: 'https://example.com' };
const BUSINESS = '600500400300201';

/** `GET /{phone_number_id}` (platform §3.3). */
export function numberNode(parts: SimulatorParts, request: FastifyRequest<ById>): Record<string, unknown> {
  const account = accountFor(parts, request, (id) => parts.accounts.byNumber(id));
  const node = numberFields(parts, account);
  return pick(node, 'WhatsAppBusinessPhoneNumber', request.query['fields'], ['verified_name', 'display_phone_number', 'quality_rating']);
}

/** `GET /{business_account_id}/phone_numbers`. */
export function listNumbers(parts: SimulatorParts, request: FastifyRequest<ById>): unknown {
  const account = businessAccountFor(parts, request);
  const usual = ['verified_name', 'display_phone_number', 'quality_rating', 'code_verification_status', 'platform_type', 'throughput'];
  const number = pick(numberFields(parts, account), 'WhatsAppBusinessPhoneNumber', request.query['fields'], usual);
  const cursor = Buffer.from('0').toString('base64url');
  return { data: [number], paging: { cursors: { before: cursor, after: cursor } } };
}

/** `GET /{business_account_id}`. */
export function businessAccountNode(parts: SimulatorParts, request: FastifyRequest<ById>): Record<string, unknown> {
  const account = accountFor(parts, request, (id) => parts.accounts.byBusinessAccount(id));
  const { business_account_id: id, name } = account;
  const node = {
    id,
    name,
    currency: 'USD',
    timezone_id: '1',
    country: 'US',
    message_template_namespace: `simulated_${id}`,
    account_review_status: 'APPROVED',
    business_verification_status: 'verified',
    status: account.status === 'BANNED' ? 'BANNED' : 'ACTIVE',
    health_status: healthOf(account),
  };
  return pick(node, 'WhatsAppBusinessAccount', request.query['fields'], ['name', 'timezone_id', 'message_template_namespace']);
}

function numberFields(parts: SimulatorParts, account: Account): Record<string, unknown> {
  return {
    id: account.phone_number_id,
    display_phone_number: account.display_phone_number,
    verified_name: account.name,
    status: account.status,
    quality_rating: 'GREEN',
    name_status: 'APPROVED',
    code_verification_status: 'VERIFIED',
    platform_type: 'CLOUD_API',
    account_mode: 'LIVE',
    throughput: { level: 'STANDARD' },
    whatsapp_business_manager_messaging_limit: parts.profile.settings.tier,
    webhook_configuration: { application: parts.shownCallbackUrl },
    health_status: healthOf(account),
  };
}

/** The health of the number and the account (platform §3.3). */
function healthOf({ status, restricted, phone_number_id, business_account_id }: Account): Record<string, unknown> {
  const ofNumber =
    status === 'CONNECTED'
      ? { can_send_message: 'AVAILABLE' }
      : { can_send_message: 'BLOCKED', errors: [reason(141000, `The phone number is ${status}`, 'Register it again, or appeal')] };
  const ofAccount = restricted
    ? { can_send_message: 'LIMITED', additional_info: ['The account is restricted from starting conversations'] }
    : { can_send_message: status === 'BANNED' ? 'BLOCKED' : 'AVAILABLE' };
  const entities = [
    { entity_type: 'PHONE_NUMBER', id: phone_number_id, ...ofNumber },
    { entity_type: 'WABA', id: business_account_id, ...ofAccount },
    { entity_type: 'BUSINESS', id: BUSINESS, can_send_message: 'AVAILABLE' },
    { entity_type: 'APP', id: APP.id, can_send_message: 'AVAILABLE' },
  ];
  const worst = ['BLOCKED', 'LIMITED'].find((word) => entities.some(({ can_send_message }) => can_send_message === word));
  return { can_send_message: worst ?? 'AVAILABLE', entities };
}

function reason(error_code: number, error_description: string, possible_solution: string) {
  return { error_code, error_description, possible_solution };
}

/** Reads or changes the subscription. Callbacks are posted only while the app is subscribed. */
export function subscribedApps(parts: SimulatorParts, request: FastifyRequest<ById>): unknown {
  const account = businessAccountFor(parts, request);
  if (request.method === 'GET') return { data: account.subscribed ? [{ whatsapp_business_api_data: APP }] : [] };
  account.subscribed = request.method === 'POST';
  return { success: true };
}

export function debugToken(parts: SimulatorParts, request: FastifyRequest): unknown {
  tokenOf(parts, request);
  const { input_token } = request.query as Record<string, string>;
  const reached = parts.accounts.all().filter(({ access_token }) => access_token === input_token);
  const ids = reached.map(({ business_account_id }) => business_account_id);
  const scopes = ['whatsapp_business_management', 'whatsapp_business_messaging'];
  const known = reached.length > 0;
  return {
    data: {
      app_id: APP.id,
      application: APP.name,
      type: 'SYSTEM_USER',
      is_valid: known,
      expires_at: 0,
      scopes: known ? scopes : [],
      granular_scopes: known ? scopes.map((scope) => ({ scope, target_ids: ids })) : [],
      ...(!known && { error: { code: 190, message: 'Invalid OAuth access token', subcode: 463 } }),
    },
  };
}
