import { eventually } from '@mgw/testing';
import { dashboardUser } from './people';
import type { Demo, DemoBusiness } from './demo';

let sets = 0;

/** The demo with new businesses on the same plans, so that specs that share a stack do not see each other. */
export async function withOwnBusinesses(demo: Demo): Promise<Demo> {
  sets += 1;
  const businesses = await Promise.all(demo.businesses.map((model, place) => newBusiness(demo, model, `${sets}${place}`)));
  return { ...demo, businesses };
}

/** @param suffix digits that no other business has */
async function newBusiness(demo: Demo, { plan }: DemoBusiness, suffix: string): Promise<DemoBusiness> {
  const name = `${plan} ${suffix}`;
  const owner = { email: `owner-${suffix}@${plan.toLowerCase()}.example`, password: 'a long enough password' };
  const numbers = { phone_number_id: `7001002004000${suffix}`, business_account_id: `8009001003000${suffix}` };
  const access = { access_token: `EAAown${suffix}`, app_secret: demo.app_secret };
  const account = { name, ...numbers, ...access, display_phone_number: `130355501${suffix}` };
  const registered = await fetch(`${demo.simulator_url}/__sim/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  });
  expect(registered.status).toBe(200);
  const operator = await dashboardUser(demo.site_url, demo.operator);
  const { body: made } = await operator.call<{ id: number }>('POST', '/api/admin/businesses', { name, plan, timezone: 'Asia/Kolkata' });
  await operator.call('POST', `/api/admin/businesses/${made.id}/users`, { ...owner, name: 'Owner', role: 'owner' });
  const client = await dashboardUser(demo.site_url, owner);
  await client.call('PUT', '/api/client/connection', { ...numbers, ...access, verify_token: demo.verify_token });
  const { body: created } = await client.call<{ key: string }>('POST', '/api/client/api-keys', { name: 'Demo key', permissions: ['*'] });
  await eventually(async () => (await client.call<{ templates: unknown[] }>('GET', '/api/client/templates')).body.templates.length > 0, {
    everyMs: 100,
  });
  return { id: made.id, name, plan, ...numbers, owner, api_key: created.key };
}
