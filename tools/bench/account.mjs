// Creates a business for measurements through the product's API.
import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

/** The operator that each measured product has. */
export const OPERATOR = { email: 'bench-operator@bench.example', password: 'bench operator password' };
const APP_SECRET = 'bench-app-secret';
const HIGHEST_LIMIT = 100_000;
/** Connections of the platform, fewer than the gateway accepts from one address. */
export const PLATFORM_CONNECTIONS = 100;
const RETRY_MS = 200;

async function session(site, { email, password }) {
  const headers = { 'content-type': 'application/json', origin: site };
  const login = await fetch(`${site}/api/client/login`, { method: 'POST', headers, body: JSON.stringify({ email, password }) });
  if (login.status !== 200) throw new Error(`login responded with ${login.status}`);
  return withCookie(site, login.headers.get('set-cookie').split(';')[0]);
}

/** @returns a function that calls the dashboard's API in a session */
export function withCookie(site, cookie) {
  return async (method, path, body) => {
    const response = await fetch(`${site}${path}`, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), origin: site, cookie },
      body: body && JSON.stringify(body),
    });
    const json = await response.json();
    if (response.status !== 200) throw new Error(`${method} ${path} responded with ${response.status}: ${json.error}`);
    return json;
  };
}

/** Logs the operator in, who lifts the limit of all keys. */
export async function benchOperator({ siteUrl }) {
  const operator = await session(siteUrl, OPERATOR);
  await operator('PUT', '/api/admin/limits', { global_per_minute: HIGHEST_LIMIT });
  return operator;
}

export function connect(client, phone_number_id) {
  return client('PUT', '/api/client/connection', {
    phone_number_id,
    business_account_id: '1',
    access_token: 'bench-token',
    app_secret: APP_SECRET,
    verify_token: 'bench-verify',
  });
}

/** @returns an API key with the highest limits */
export async function openKey(client, operator, name) {
  const { id, key } = await client('POST', '/api/client/api-keys', { name, permissions: ['*'] });
  await operator('PATCH', `/api/admin/api-keys/${id}`, { per_minute_limit: HIGHEST_LIMIT, daily_limit: HIGHEST_LIMIT });
  return key;
}

/** @returns keys with the highest limits, and functions that act as the platform */
export async function benchAccount({ siteUrl: site }, operator, keyCount, nth = 0) {
  const number = `7001002003009${String(nth).padStart(2, '0')}`;
  const { id: businessId } = await operator('POST', '/api/admin/businesses', { name: 'Bench', plan: 'Pro', timezone: 'UTC' });
  const owner = { email: `bench-owner-${nth}@bench.example`, password: 'bench owner password' };
  await operator('POST', `/api/admin/businesses/${businessId}/users`, { ...owner, name: 'Bench', role: 'owner' });
  const client = await session(site, owner);
  await connect(client, number);
  const keys = [];
  for (let i = 0; i < keyCount; i++) keys.push(await openKey(client, operator, `Bench ${i}`));
  for (const end = Date.now() + 20_000; Date.now() < end; await pause(100)) {
    const { templates } = await client('GET', '/api/client/templates');
    if (templates.length > 0) break;
  }
  const envelope = (value) => ({ object: 'whatsapp_business_account', entry: [{ id: '1', changes: [{ field: 'messages', value }] }] });
  const metadata = { display_phone_number: '12025550199', phone_number_id: number };
  const platform = new Pool(site, { connections: PLATFORM_CONNECTIONS });
  /** Posts a callback until the gateway has room for it, as WhatsApp does. */
  const post = async (value) => {
    const body = JSON.stringify(envelope({ messaging_product: 'whatsapp', metadata, ...value }));
    const signature = createHmac('sha256', APP_SECRET).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
    for (;;) {
      const response = await platform.request({ path: '/webhooks/whatsapp', method: 'POST', headers, body });
      await response.body.dump();
      if (response.statusCode !== 503) return response.statusCode;
      await pause(RETRY_MS);
    }
  };
  const inbound = (id, phone, text) => ({
    contacts: [{ profile: { name: 'Bench' }, wa_id: phone }],
    messages: [{ from: phone, id, timestamp: String(Math.floor(Date.now() / 1_000)), type: 'text', text: { body: text } }],
  });
  return {
    businessId,
    keys,
    client,
    post,
    inbound,
    /** Customers with an open window. */
    async openWindows(count) {
      for (let from = 0; from < count; from += 100) {
        const some = Array.from({ length: Math.min(100, count - from) }, (_, i) => `1203555${String(from + i).padStart(4, '0')}`);
        const messages = some.flatMap((phone) => inbound(`wamid.open.${phone}.${Date.now()}`, phone, 'Hi').messages);
        await post({ contacts: some.map((phone) => ({ profile: { name: 'B' }, wa_id: phone })), messages });
      }
      for (const end = Date.now() + 20_000; Date.now() < end; await pause(100)) {
        const { conversations } = await client('GET', `/api/client/conversations?q=1203555${String(count - 1).padStart(4, '0')}`);
        if (conversations[0]?.session_window.open) return;
      }
    },
  };
}
