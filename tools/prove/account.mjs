// Prepares the product for a run: sessions, keys with wide limits, one key with a narrow daily cap, webhooks.
import { setTimeout as pause } from 'node:timers/promises';

const HIGHEST_LIMIT = 100_000;
const CAP = 100;
const EVENTS = ['message.received', 'message.sent', 'conversation.created', 'broadcast.completed', 'ai.replied', 'message.status'];
/** Webhooks of each plan's business; `mode` is the receiver's behaviour without a fault. */
const WEBHOOKS = {
  Growth: [
    { name: 'steady', mode: 'ok' },
    { name: 'disturbed', mode: 'ok' },
    { name: 'failing', mode: 'fail' },
  ],
  Pro: [{ name: 'second', mode: 'ok' }],
};

/** A dashboard session. Calls throw unless the response is 200. */
export async function session(site, { email, password }) {
  const post = { method: 'POST', headers: { 'content-type': 'application/json', origin: site }, body: JSON.stringify({ email, password }) };
  const login = await fetch(`${site}/api/client/login`, post);
  if (login.status !== 200) throw new Error(`the login of ${email} responded with ${login.status}`);
  const cookie = login.headers.get('set-cookie').split(';')[0];
  return async (method, path, body, headers = {}, at = site) => {
    const response = await fetch(`${at}${path}`, {
      method,
      headers: { origin: site, cookie, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(35_000),
    });
    const json = await response.json();
    if (response.status !== 200) throw new Error(`${method} ${path} responded with ${response.status}: ${json.error}`);
    return json;
  };
}

/** @returns the businesses with their sessions and keys, and all webhooks */
export async function setUp({ demo }, receivers) {
  const operator = await session(demo.site_url, demo.operator);
  await operator('PUT', '/api/admin/limits', { global_per_minute: HIGHEST_LIMIT });
  const businesses = [];
  const webhooks = [];
  for (const [plan, wanted] of Object.entries(WEBHOOKS)) {
    const business = demo.businesses.find((one) => one.plan === plan);
    const owner = await session(demo.site_url, business.owner);
    const key = async (name, daily_limit) => {
      const { id, key: word } = await owner('POST', '/api/client/api-keys', { name, permissions: ['*'] });
      await operator('PATCH', `/api/admin/api-keys/${id}`, { per_minute_limit: HIGHEST_LIMIT, daily_limit });
      return { id, word, cap: daily_limit };
    };
    businesses.push({ ...business, call: owner, open: await key('open', HIGHEST_LIMIT), capped: await key('capped', CAP) });
    for (const { name, mode } of wanted) {
      receivers.set(name, mode);
      const body = { name, url: receivers.url(name), events: EVENTS, secret: 'a secret of the receiver' };
      const { id } = await owner('POST', '/api/client/webhooks', body);
      webhooks.push({ id, name, mode, business_id: business.id });
    }
  }
  // Keys and limits are cached for up to 5 s.
  await pause(5_000);
  return { businesses, webhooks };
}
