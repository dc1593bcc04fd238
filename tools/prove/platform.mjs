// WhatsApp's side of a run: the simulator's control plane, and a proxy that logs and disturbs its callbacks.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../servers/free-port.cjs';

/** Largest page of the simulator's log of requests. */
const LOOK_BACK = 300;
const LOOK_BACK_MOST = 20_000;
const RESPONSE_WITHIN_MS = 9_000;

/** Proxy between the simulator and the gateways. `mode` disturbs callbacks: duplicate, reorder, lose-responses or swallow. */
export class Callbacks {
  mode = null;
  /** By hash of the body: its content, and whether a gateway responded with 200. */
  #bodies = new Map();
  #turn = 0;

  static async listen(random) {
    const callbacks = new Callbacks();
    callbacks.random = random;
    callbacks.server = createServer((request, response) => void callbacks.#take(request, response));
    callbacks.port = await freePort();
    await new Promise((resolve) => callbacks.server.listen(callbacks.port, '127.0.0.1', resolve));
    return callbacks;
  }

  get url() {
    return `http://127.0.0.1:${this.port}/webhooks/whatsapp`;
  }

  /** @returns callbacks that no gateway has accepted yet */
  open() {
    return [...this.#bodies.values()].filter(({ taken }) => !taken).length;
  }

  /** @returns every status and customer message that a gateway has accepted */
  taken() {
    return [...this.#bodies.values()]
      .filter(({ taken }) => taken)
      .flatMap(({ at, body }) =>
        (body.entry ?? []).flatMap(({ changes = [] }) =>
          changes.flatMap(({ value }) => [
            ...(value.statuses ?? []).map(({ id, status }) => ({ kind: 'status', at, id, status })),
            ...(value.messages ?? []).map(({ id, from }) => ({ kind: 'message', at, id, from, number: value.metadata?.phone_number_id })),
          ]),
        ),
      );
  }

  async #take(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const status = await this.#pass(request, bytes).catch(() => 502);
    response.writeHead(this.mode === 'lose-responses' ? 500 : status).end();
  }

  async #pass(request, bytes) {
    // The simulator verifies the address with GET.
    const isPost = request.method === 'POST';
    const hash = createHash('sha256').update(bytes).digest('hex');
    if (isPost && !this.#bodies.has(hash)) this.#bodies.set(hash, { at: Date.now(), body: JSON.parse(bytes.toString()), taken: false });
    if (isPost && this.mode === 'swallow') {
      this.#bodies.get(hash).taken = true;
      return 200;
    }
    if (this.mode === 'reorder') await pause(this.random.between(0, 2_500));
    const copies = this.mode === 'duplicate' ? 3 : 1;
    const statuses = await Promise.all(Array.from({ length: copies }, () => this.#post(request, bytes).catch(() => 502)));
    if (isPost && statuses.includes(200)) this.#bodies.get(hash).taken = true;
    return statuses.includes(200) ? 200 : statuses[0];
  }

  async #post({ method, url, headers }, bytes) {
    const gateways = this.gateways();
    const target = gateways[(this.#turn += 1) % gateways.length];
    const { 'content-type': type, 'x-hub-signature-256': signature } = headers;
    const response = await fetch(`${target}${url}`, {
      method,
      headers: { ...(type && { 'content-type': type }), ...(signature && { 'x-hub-signature-256': signature }) },
      ...(method === 'POST' && { body: bytes }),
      signal: AbortSignal.timeout(RESPONSE_WITHIN_MS),
    });
    await response.arrayBuffer();
    return response.status;
  }
}

export class Platform {
  /** Calls that send a message, from the simulator's log. */
  calls = [];
  #known = new Set();

  constructor(url) {
    this.url = url;
  }

  async control(method, path, body) {
    const response = await fetch(`${this.url}/__sim/${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    if (!response.ok) throw new Error(`the simulator responded with ${response.status}: ${await response.text()}`);
    return response.json();
  }

  writes(number, from, text) {
    return this.control('POST', 'inbound', { phone_number_id: number, from, name: `Customer ${from.slice(-4)}`, text });
  }

  /** Reads the rest of the simulator's log of requests. @throws Error if the simulator has dropped unread requests */
  async read(limit = LOOK_BACK) {
    const { requests } = await this.control('GET', `requests?limit=${limit}`);
    const keyOf = ({ at, path, body, response }) => `${at} ${path} ${body?.biz_opaque_callback_data} ${response?.messages?.[0]?.id}`;
    const fresh = requests.filter((one) => !this.#known.has(keyOf(one)));
    if (requests.length === limit && fresh.length === limit && this.#known.size > 0) {
      if (limit >= LOOK_BACK_MOST) throw new Error('the simulator logs faster than it is read');
      return this.read(LOOK_BACK_MOST);
    }
    for (const one of fresh) {
      const { method, path, at, status, body, response } = one;
      this.#known.add(keyOf(one));
      if (method !== 'POST' || !path.endsWith('/messages') || !body?.type) continue;
      this.calls.push({
        at: Date.parse(at),
        number: path.split('/').at(-2),
        status,
        body,
        to: body.to,
        token: tokenOf(body),
        intent: body.biz_opaque_callback_data,
        id: response?.messages?.[0]?.id ?? null,
        code: codeOf(body),
      });
    }
  }
}

const parameters = ({ template }) => (template?.components ?? []).find(({ type }) => type === 'body')?.parameters ?? [];

/** The token of a message: its text, its template's last value, or the phone number of a one-time code. */
function tokenOf(body) {
  if (body.type === 'text') return body.text.body;
  const values = parameters(body).map(({ text }) => text);
  return values.length > 1 ? values.at(-1) : body.to.replace(/\D/g, '');
}

const codeOf = (body) => (parameters(body).length === 1 ? parameters(body)[0].text : undefined);
