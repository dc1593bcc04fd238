// Creates the demo: one business on each plan, through the public API.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const OPERATOR = 'operator@demo.example';
const BUSINESSES = [
  {
    plan: 'Growth',
    name: 'Kaveri Looms',
    phone_number_id: '700100200300501',
    business_account_id: '800900100200501',
    display_phone_number: '12025550151',
  },
  {
    plan: 'Pro',
    name: 'Northlight Clinic',
    phone_number_id: '700100200300502',
    business_account_id: '800900100200502',
    display_phone_number: '13125550152',
  },
  {
    plan: 'Starter',
    name: 'Corner Bakery',
    phone_number_id: '700100200300503',
    business_account_id: '800900100200503',
    display_phone_number: '14155550153',
  },
];
const accessTokenOf = (business) => `EAAdemo${business.phone_number_id}`;

/** @returns the content of demo.json */
export async function seedDemo(stack) {
  await registerWithSimulator(stack);
  const earlier = await earlierDemo(stack);
  if (earlier) await checkAgain(stack, earlier);
  const businesses = earlier ?? (await makeBusinesses(stack));
  await templatesArrived(stack, businesses[0].api_key);
  return {
    base_url: `${stack.siteUrl}/api/v1`,
    site_url: stack.siteUrl,
    dashboard_url: stack.siteUrl,
    simulator_url: stack.simulatorUrl,
    verify_token: stack.secrets.verify_token,
    app_secret: stack.secrets.app_secret,
    operator: { email: OPERATOR, password: stack.secrets.operator_password },
    businesses,
  };
}

/** Logs in to the dashboard's API. @returns a function that calls it; null if email or password is wrong */
async function login(stack, email, password) {
  const response = await fetch(`${stack.siteUrl}/api/client/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: stack.siteUrl },
    body: JSON.stringify({ email, password }),
  });
  if (response.status === 401) return null;
  if (response.status !== 200)
    throw new Error(`seeding: the login of ${email} responded with ${response.status}: ${await response.text()}`);
  const cookie = response.headers.get('set-cookie').split(';')[0];
  return async (method, path, body) => {
    const response = await fetch(`${stack.siteUrl}${path}`, {
      method,
      headers: { cookie, origin: stack.siteUrl, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const json = await response.json();
    if (response.status !== 200) throw new Error(`seeding: ${method} ${path} responded with ${response.status}: ${json.error}`);
    return json;
  };
}

/** @returns the businesses of an earlier start; an unreadable file counts as absent */
function earlierBusinesses(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).businesses;
  } catch {
    return null;
  }
}

/** The businesses of an earlier start, if this database still has them. */
async function earlierDemo(stack) {
  const businesses = earlierBusinesses(join(stack.dir, 'demo.json'));
  if (!businesses) return null;
  const responses = await Promise.all(
    businesses.map(({ api_key }) => fetch(`${stack.siteUrl}/api/v1/health`, { headers: { 'x-api-key': api_key } })),
  );
  return responses.every(({ status }) => status === 200) ? businesses : null;
}

/** Repeats failed connection checks: services may have called the restarted simulator before it had the demo's numbers. */
async function checkAgain(stack, businesses) {
  for (const { owner } of businesses) {
    const client = await login(stack, owner.email, owner.password);
    const { status, phone_number_id, business_account_id } = (await client?.('GET', '/api/client/connection')) ?? {};
    if (status === 'problem') await client('PUT', '/api/client/connection', { phone_number_id, business_account_id });
  }
}

async function makeBusinesses(stack) {
  const operator = await operatorSession(stack);
  const known = (await operator('GET', '/api/admin/businesses')).businesses;
  const made = [];
  for (const business of BUSINESSES) {
    const owner = { email: `owner@${business.plan.toLowerCase()}.example`, password: stack.secrets.owner_password };
    const existing = known.find(({ name, plan }) => name === business.name && plan === business.plan);
    const id =
      existing?.id ??
      (await operator('POST', '/api/admin/businesses', { name: business.name, plan: business.plan, timezone: 'Asia/Kolkata' })).id;
    if (!(await login(stack, owner.email, owner.password)))
      await operator('POST', `/api/admin/businesses/${id}/users`, { ...owner, name: `Owner of ${business.name}`, role: 'owner' });
    const client = await login(stack, owner.email, owner.password);
    const { phone_number_id, business_account_id } = business;
    await client('PUT', '/api/client/connection', {
      phone_number_id,
      business_account_id,
      access_token: accessTokenOf(business),
      app_secret: stack.secrets.app_secret,
      verify_token: stack.secrets.verify_token,
    });
    const { key } = await client('POST', '/api/client/api-keys', { name: 'Demo key', permissions: ['*'] });
    made.push({ id, name: business.name, plan: business.plan, phone_number_id, business_account_id, owner, api_key: key });
  }
  return made;
}

async function operatorSession(stack) {
  const password = stack.secrets.operator_password;
  const session = await login(stack, OPERATOR, password);
  if (session) return session;
  await stack.command('gateway', ['create-operator', '--email', OPERATOR, '--name', 'Demo operator'], { OPERATOR_PASSWORD: password });
  return login(stack, OPERATOR, password);
}

/** Registers the demo's numbers at each start, because the simulator may have started empty. */
async function registerWithSimulator(stack) {
  if (process.env.META_GRAPH_BASE_URL) return;
  for (const business of BUSINESSES) {
    const { name, phone_number_id, business_account_id, display_phone_number } = business;
    const body = {
      name,
      phone_number_id,
      business_account_id,
      display_phone_number,
      access_token: accessTokenOf(business),
      app_secret: stack.secrets.app_secret,
    };
    const response = await fetch(`${stack.simulatorUrl}/__sim/accounts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`the simulator refused the demo number: ${await response.text()}`);
  }
}

/** Waits for the first sync of templates, because the printed samples need them. */
async function templatesArrived(stack, apiKey) {
  if (process.env.META_GRAPH_BASE_URL) return;
  for (const end = Date.now() + 20_000; Date.now() < end; await pause(100)) {
    const response = await fetch(`${stack.siteUrl}/api/v1/templates`, { headers: { 'x-api-key': apiKey } });
    if (response.status === 429) return;
    if (response.status === 200 && (await response.json()).templates.length > 0) return;
  }
  throw new Error('the demo templates did not arrive from the simulator');
}
