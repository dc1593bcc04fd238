import type { Demo, DemoBusiness } from './stack';

export interface Answer<B = Record<string, unknown>> {
  status: number;
  body: B;
  headers: Headers;
}

async function answerOf<B>(response: Response): Promise<Answer<B>> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as B };
}

export interface Integrator {
  get<B = Record<string, unknown>>(path: string): Promise<Answer<B>>;
  post<B = Record<string, unknown>>(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer<B>>;
}

/** Somebody's CRM: calls the REST API with a key. */
export function integrator(baseUrl: string, key: string): Integrator {
  const send = async <B>(path: string, init: RequestInit) =>
    answerOf<B>(await fetch(`${baseUrl}/${path}`, { ...init, headers: { 'x-api-key': key, ...init.headers } }));
  return {
    get: (path) => send(path, {}),
    post: (path, body, headers = {}) =>
      send(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }),
  };
}

export interface DashboardUser {
  call<B = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer<B>>;
}

/** Somebody at the dashboard: logs in, then calls with the cookie. */
export async function dashboardUser(siteUrl: string, { email, password }: { email: string; password: string }): Promise<DashboardUser> {
  const login = await fetch(`${siteUrl}/api/client/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: siteUrl },
    body: JSON.stringify({ email, password }),
  });
  if (login.status !== 200) throw new Error(`login answered ${login.status}: ${await login.text()}`);
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  return {
    call: async (method, path, body) =>
      answerOf(
        await fetch(`${siteUrl}${path}`, {
          method,
          headers: { cookie, origin: siteUrl, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      ),
  };
}

/** A customer with a phone, played by the simulator. */
export function customer(demo: Demo, business: DemoBusiness, phone: string) {
  return {
    phone,
    async writes(text: string): Promise<void> {
      const body = { phone_number_id: business.phone_number_id, from: phone, type: 'text', text };
      const response = await fetch(`${demo.simulator_url}/__sim/inbound`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`the simulator answered ${response.status}: ${await response.text()}`);
    },
  };
}
