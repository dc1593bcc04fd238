import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@mgw/testing';
import type { Demo, DemoBusiness } from './demo';

export interface ApiResponse<B = Record<string, unknown>> {
  status: number;
  body: B;
  headers: Headers;
}

async function readResponse<B>(response: Response): Promise<ApiResponse<B>> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as B };
}

export interface Integrator {
  get<B = Record<string, unknown>>(path: string): Promise<ApiResponse<B>>;
  post<B = Record<string, unknown>>(path: string, body: unknown, headers?: Record<string, string>): Promise<ApiResponse<B>>;
  upload<B = Record<string, unknown>>(file: string | Buffer, type: string): Promise<ApiResponse<B>>;
}

/** A CRM that calls the REST API with a key. */
export function integrator(baseUrl: string, key: string): Integrator {
  const send = async <B>(path: string, init: RequestInit) =>
    readResponse<B>(await fetch(`${baseUrl}/${path}`, { ...init, headers: { 'x-api-key': key, ...init.headers } }));
  return {
    get: (path) => send(path, {}),
    post: (path, body, headers = {}) =>
      send(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }),
    upload: (file, type) => send('media?filename=order.txt', { method: 'POST', headers: { 'content-type': type }, body: file }),
  };
}

/** Repeats a request that has an Idempotency-Key or no effect while the gateway reports that a retry may succeed, as a careful client does. */
export async function untilDone<B>(request: () => Promise<ApiResponse<B>>): Promise<ApiResponse<B>> {
  for (;;) {
    const response = await request();
    const { retryable, error_code } = response.body as { retryable?: boolean; error_code?: string };
    if (retryable !== true && error_code !== 'IDEMPOTENCY_IN_FLIGHT') return response;
    await pause(200);
  }
}

export interface DashboardUser {
  /** @param headers add to the default ones or replace them */
  call<B = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<ApiResponse<B>>;
}

/** A browser at the dashboard's address. @param cookie session cookie; undefined for a visitor */
export function browser(siteUrl: string, cookie?: string): DashboardUser {
  return {
    call: async (method, path, body, headers = {}) =>
      readResponse(
        await fetch(`${siteUrl}${path}`, {
          method: method.toUpperCase(),
          headers: {
            ...(cookie !== undefined && { cookie }),
            origin: siteUrl,
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body !== undefined && { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
        }),
      ),
  };
}

/**
 * Announces a body of this size and waits for the response before it sends any byte. A client that writes on during a refusal may see a
 * broken connection instead.
 * @param cookie session cookie; undefined for a caller with a key
 */
export function announcer(siteUrl: string, bytes: number, cookie?: string): DashboardUser {
  return {
    call: async (method, path, _body, more = {}) => {
      const headers = { ...(cookie !== undefined && { cookie }), 'content-type': 'application/json', 'content-length': bytes, ...more };
      const sending = request(`${siteUrl}${path}`, { method: method.toUpperCase(), headers });
      sending.flushHeaders();
      const [response] = (await once(sending, 'response')) as [IncomingMessage];
      const buffered = new Response(await text(response), {
        status: response.statusCode ?? 0,
        headers: response.headers as Record<string, string>,
      });
      sending.destroy();
      return readResponse(buffered);
    },
  };
}

/** Logs in. @returns the session cookie */
export async function logIn(siteUrl: string, { email, password }: { email: string; password: string }): Promise<string> {
  const { status, body, headers } = await browser(siteUrl).call('POST', '/api/client/login', { email, password });
  if (status !== 200) throw new Error(`login responded with ${status}: ${JSON.stringify(body)}`);
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** A dashboard user: logs in, then calls with the cookie. */
export async function dashboardUser(siteUrl: string, who: { email: string; password: string }): Promise<DashboardUser> {
  return browser(siteUrl, await logIn(siteUrl, who));
}

/** Makes a customer send a document. @returns its media id once the inbox shows it */
export async function sentFile(sender: ReturnType<typeof customer>, reader: DashboardUser): Promise<string> {
  const message_id = await sender.sends({ type: 'document' });
  return eventually(async () => {
    const list = await reader.call<{ conversations: { id: number }[] }>('GET', `/api/client/conversations?q=${sender.phone}`);
    const path = `/api/client/conversations/${list.body.conversations[0]?.id}/messages`;
    const thread = await reader.call<{ messages?: { message_id: string; media: { id: string } | null }[] }>('GET', path);
    return thread.body.messages?.find((message) => message.message_id === message_id)?.media?.id;
  });
}

/** Makes the simulator refuse connections for two seconds. */
export async function cutOffPlatform(demo: Demo, crm: Integrator): Promise<void> {
  await fetch(`${demo.simulator_url}/__sim/rules`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ times: 1, answer: { status: 500, body: 'away' }, refuse_connections_ms: 2_000 }),
  });
  await crm.post('send-template', { phone: '+1 201 555 0100', template_name: 'order_update', body_params: ['Asha', '1'] });
}

/** A customer's phone in the simulator. */
export function customer(demo: Demo, business: DemoBusiness, phone: string) {
  return {
    phone,
    async writes(text: string): Promise<void> {
      await this.sends({ type: 'text', text });
    },
    /** @param message as the simulator takes it (docs/simulator.md) @returns its id */
    async sends(message: object): Promise<string> {
      const body = { phone_number_id: business.phone_number_id, from: phone, ...message };
      const response = await fetch(`${demo.simulator_url}/__sim/inbound`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`the simulator responded with ${response.status}: ${await response.text()}`);
      return ((await response.json()) as { message_id: string }).message_id;
    },
  };
}
