import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { createSimulator, type Simulator, type SimulatorOptions } from './simulator';

export const SECRET = 'simulated secret';
export const NUMBER = '700100200300401';
export const ACCOUNT = '800900100200301';
export const TOKEN = 'EAAsimKaveri';
export const PERSON = '919876543210';

type Json = Record<string, unknown>;
export interface ApiResponse<B = Json> {
  status: number;
  body: B;
  headers: Headers;
}
export interface Change {
  field: string;
  value: { statuses?: Json[]; messages?: Json[]; contacts?: Json[] } & Json;
}

/** A simulator on a port of its own, and the server that receives its callbacks. */
export class Started {
  private constructor(
    readonly simulator: Simulator,
    readonly receiver: Receiver,
    readonly url: string,
  ) {}

  static async with(options: Partial<SimulatorOptions> = {}): Promise<Started> {
    const receiver = await startReceiver();
    const simulator = createSimulator({ callbackUrl: `${receiver.url}/webhooks/whatsapp`, appSecret: SECRET, ...options });
    return new Started(simulator, receiver, (await simulator.listen()).url);
  }

  async close(): Promise<void> {
    await this.simulator.close();
    await this.receiver.close();
  }

  /** Calls the Graph API as the first account. */
  graph<B = Json>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse<B>> {
    return this.call(method, `/v26.0/${path}`, body, { authorization: `Bearer ${TOKEN}`, ...headers });
  }

  control<B = Json>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse<B>> {
    return this.call(method, `/__sim/${path}`, body, headers);
  }

  /** Sends a message from the first account. */
  send(message: object, to = PERSON): Promise<ApiResponse> {
    return this.graph('POST', `${NUMBER}/messages`, { messaging_product: 'whatsapp', to: `+${to}`, ...message });
  }

  sendTemplate(to = PERSON, name = 'hello_world', code = 'en_US', components?: object[]): Promise<ApiResponse> {
    return this.send({ type: 'template', template: { name, language: { code }, ...(components && { components }) } }, to);
  }

  /** Sends a customer's message. @returns its id */
  async receive(message: object = {}, from = PERSON): Promise<string> {
    const { body } = await this.control('POST', 'inbound', { phone_number_id: NUMBER, from, text: 'Hello', ...message });
    return String(body['message_id']);
  }

  changes(): Change[] {
    return this.receiver.requests.map(({ body }) => JSON.parse(body).entry[0].changes[0] as Change);
  }
  statuses(): Json[] {
    return this.changes().flatMap(({ value }) => value.statuses ?? []);
  }
  messages(): Json[] {
    return this.changes().flatMap(({ value }) => value.messages ?? []);
  }
  /** Waits until `count` statuses of the message arrived. */
  statusesOf(id: string, count: number): Promise<Json[]> {
    return eventually(() => {
      const statuses = this.statuses().filter((status) => status['id'] === id);
      return statuses.length >= count && statuses;
    });
  }

  private async call<B>(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<ApiResponse<B>> {
    const isJson = body !== undefined && !(body instanceof FormData);
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as FormData) }),
    });
    return { status: response.status, body: (await response.json()) as B, headers: response.headers };
  }
}

export const codeOf = ({ body }: ApiResponse): number | undefined => (body['error'] as { code: number } | undefined)?.code;
export const messageOf = ({ body }: ApiResponse): string => (body['error'] as { message: string } | undefined)?.message ?? '';
export const idOf = ({ body }: ApiResponse): string => (body['messages'] as { id: string }[] | undefined)?.[0]?.id ?? '';
