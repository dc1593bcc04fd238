import { Type, type Static } from '@sinclair/typebox';
import { signatureOf } from '../callbacks/callback-queue';
import { envelope, seconds } from '../callbacks/envelope';
import { writeJson } from '../callbacks/json-style';
import { GraphFailure } from '../graph-error';
import { decide } from '../graph/templates';
import { accountOfNumber } from './control-requests';
import { type SimulatorParts } from '../simulator-parts';

const oneOf = <T extends string>(...values: T[]) => Type.Union(values.map((value) => Type.Literal(value)));

export const AccountChange = Type.Object({
  phone_number_id: Type.String(),
  action: oneOf('ban', 'restrict', 'reinstate', 'disconnect'),
});

/** Posts bans, restrictions and their ends (platform §4.6). */
export async function changeAccount(parts: SimulatorParts, { phone_number_id, action }: Static<typeof AccountChange>): Promise<object> {
  const account = accountOfNumber(parts, phone_number_id);
  const inAWeek = Math.floor(parts.clock.now() / 1_000) + 7 * 86_400;
  const wasDisconnected = account.status === 'DISCONNECTED';
  const restriction = { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: inAWeek };
  const change = {
    ban: { becomes: { status: 'BANNED' }, value: { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } } },
    restrict: { becomes: { restricted: true }, value: { event: 'ACCOUNT_RESTRICTION', restriction_info: [restriction] } },
    reinstate: {
      becomes: { status: 'CONNECTED', restricted: false },
      value: wasDisconnected ? { event: 'ACCOUNT_RECONNECTED' } : { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } },
    },
    disconnect: { becomes: { status: 'DISCONNECTED' }, value: { event: 'ACCOUNT_OFFBOARDED' } },
  }[action];
  Object.assign(account, change.becomes);
  await parts.callbacks.post(account, envelope(account, 'account_update', change.value));
  return { status: account.status, restricted: account.restricted };
}

const DECISIONS = { approve: 'APPROVED', reject: 'REJECTED', pause: 'PAUSED', disable: 'DISABLED' };

export async function changeTemplate(parts: SimulatorParts, id: string, action: string): Promise<object> {
  const status = Object.hasOwn(DECISIONS, action) ? DECISIONS[action as keyof typeof DECISIONS] : undefined;
  const account = parts.accounts.byTemplate(id);
  const template = account?.templates.find((one) => one.id === id);
  if (!status || !account || !template) throw new GraphFailure(100, 'unknown template or action');
  await decide(parts, account, template, status);
  return { status };
}

export const StatusRequest = Type.Object(
  { phone_number_id: Type.String(), id: Type.String(), status: Type.String() },
  { additionalProperties: true },
);

/** Posts any status of any message. */
export async function postStatus(parts: SimulatorParts, { phone_number_id, ...status }: Static<typeof StatusRequest>): Promise<void> {
  const account = accountOfNumber(parts, phone_number_id);
  const statuses = [{ timestamp: seconds(parts.clock.now()), ...status }];
  await parts.callbacks.post(account, envelope(account, 'messages', { statuses }));
}

export const RawRequest = Type.Object(
  {
    /** The bytes as text, or JSON that is written in the style. */
    body: Type.Unknown(),
    style: Type.Optional(oneOf('meta', 'compact', 'pretty')),
    signature: Type.Optional(oneOf('valid', 'wrong', 'none')),
    /** The account whose secret signs; the first one by default. */
    phone_number_id: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

export async function postRaw(parts: SimulatorParts, request: Static<typeof RawRequest>): Promise<void> {
  const { body, style = 'meta', signature = 'valid', phone_number_id } = request;
  const bytes = Buffer.from(typeof body === 'string' ? body : writeJson(body, style));
  const [first] = parts.accounts.all();
  const account = phone_number_id === undefined ? first : accountOfNumber(parts, phone_number_id);
  const valid = signatureOf(bytes, account?.app_secret ?? '');
  const wrong = valid.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  await parts.callbacks.postRaw(bytes, { valid, wrong, none: null }[signature]);
}

/** The platform's side of the handshake (platform §4.1). */
export async function handshake(parts: SimulatorParts, verifyToken: string): Promise<object> {
  const url = new URL(parts.callbackUrl);
  const challenge = String(Math.floor(parts.random() * 1e9));
  for (const [name, value] of Object.entries({ mode: 'subscribe', challenge, verify_token: verifyToken }))
    url.searchParams.set(`hub.${name}`, value);
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  return { status: response.status, verified: response.status === 200 && text === challenge };
}
