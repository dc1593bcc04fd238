// The clients of a run. Each send carries a token that identifies it in the client's log, at the platform and in events.
import { setTimeout as pause } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { isFinal, requestOnce } from './requests.mjs';

const GIVE_UP_MS = 90_000;
const CUSTOMERS = 16;
const RECIPIENTS = 15;
const BROADCAST_EVERY_MS = 20_000;

export class Load {
  sends = [];
  broadcasts = [];
  /** Statuses that clients read, in order. */
  reads = [];
  #stopped = false;
  #running = new Set();
  #count = 0;

  constructor({ product, platform, businesses, random, rate }) {
    Object.assign(this, { product, platform, businesses, random, rate });
    this.customers = businesses.flatMap((business, nth) =>
      Array.from({ length: CUSTOMERS }, (_, i) => ({ business, phone: `1203555${nth}${String(i).padStart(3, '0')}`, written: 0 })),
    );
  }

  /** Opens the customers' windows, then starts all clients. */
  async start() {
    for (const customer of this.customers) await this.#write(customer);
    await pause(2_000);
    const kinds = [this.#template, this.#keyedTemplate, this.#text, this.#keyedText, this.#otp, this.#quickSend, this.#capped];
    this.#every(1_000 / this.rate, () => this.random.pick(kinds).call(this));
    this.#every(2_000 / this.rate, () => this.#write(this.random.pick(this.customers)));
    this.#every(1_000 / this.rate, () => this.#readStatus());
    this.#every(BROADCAST_EVERY_MS, () => this.#broadcast());
  }

  /** Resolves when the last client has its last response. */
  async stop() {
    this.#stopped = true;
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #every(ms, act) {
    this.#run(async () => {
      for (; !this.#stopped; await pause(ms)) this.#run(act);
    });
  }

  #run(act) {
    const done = Promise.resolve(act())
      .catch(() => undefined)
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  #gateway() {
    return this.random.pick(this.product.gateways());
  }

  #phone() {
    return `1202${String((this.#count += 1)).padStart(7, '0')}`;
  }

  async #write(customer) {
    customer.written += 1;
    await this.platform.writes(customer.business.phone_number_id, customer.phone, `in ${customer.phone} ${customer.written}`);
  }

  #template() {
    return this.#send('send-template', { phone: this.#phone(), template_name: 'order_update' }, (token) => ({
      body_params: ['Asha', token],
    }));
  }

  #keyedTemplate() {
    const values = (token) => ({ body_params: ['Asha', token] });
    return this.#send('send-template', { phone: this.#phone(), template_name: 'order_update' }, values, { keyed: true });
  }

  #text() {
    const { business, phone } = this.random.pick(this.customers);
    return this.#send('send-text', { phone }, (token) => ({ message: token }), { business });
  }

  #keyedText() {
    const { business, phone } = this.random.pick(this.customers);
    return this.#send('send-text', { phone }, (token) => ({ message: token }), { business, keyed: true });
  }

  #otp() {
    const phone = this.#phone();
    return this.#send('send-otp', { phone, template_name: 'login_code' }, () => ({}), { keyed: true, token: phone });
  }

  #quickSend() {
    const { business, phone } = this.random.pick(this.customers);
    return this.#send('quick-send', { phone }, (token) => ({ message: token }), { business, query: true });
  }

  #capped() {
    const values = (token) => ({ body_params: ['Asha', token] });
    return this.#send('send-template', { phone: this.#phone(), template_name: 'order_update' }, values, { key: 'capped' });
  }

  /** Sends one message: once, or with an Idempotency-Key until a response is final. */
  async #send(
    path,
    fields,
    withToken,
    { business = this.random.pick(this.businesses), key = 'open', keyed = false, query = false, token = randomUUID() } = {},
  ) {
    const send = { token, path, business_id: business.id, keyed, responses: [] };
    this.sends.push(send);
    const body = { ...fields, ...withToken(token) };
    const headers = { 'x-api-key': business[key].word, ...(keyed && { 'idempotency-key': token }) };
    for (const end = Date.now() + GIVE_UP_MS; Date.now() < end; await pause(700)) {
      const response = await requestOnce(`${this.#gateway()}/api/v1/${path}`, { body, headers, query });
      send.responses.push(response);
      if (!keyed || isFinal(response)) return;
    }
  }

  async #readStatus() {
    const known = this.sends.slice(-300).filter(({ responses }) => responses.at(-1)?.message_id);
    if (known.length === 0) return;
    const { responses, business_id } = this.random.pick(known);
    const { message_id } = responses.at(-1);
    const { open } = this.businesses.find(({ id }) => id === business_id);
    const url = `${this.#gateway()}/api/v1/message-status/${encodeURIComponent(message_id)}`;
    const begun = Date.now();
    const response = await fetch(url, { headers: { 'x-api-key': open.word }, signal: AbortSignal.timeout(40_000) });
    if (response.status === 200) this.reads.push({ begun, ended: Date.now(), message_id, status: (await response.json()).delivery_status });
  }

  /** Creates a broadcast with an Idempotency-Key, and repeats the request after an unclear response. */
  async #broadcast() {
    const business = this.businesses.at(-1);
    const name = randomUUID();
    const recipients = Array.from({ length: RECIPIENTS }, () => ({ phone: this.#phone(), body_params: ['Asha', randomUUID()] }));
    const broadcast = { name, tokens: recipients.map(({ body_params }) => body_params[1]), id: null };
    this.broadcasts.push(broadcast);
    const body = { name, template_name: 'order_update', language: 'en', recipients };
    for (const end = Date.now() + GIVE_UP_MS; broadcast.id === null && Date.now() < end; await pause(1_000)) {
      const made = await business
        .call('POST', '/api/client/broadcasts', body, { 'idempotency-key': name }, this.#gateway())
        .catch(() => null);
      broadcast.id = made?.id ?? null;
    }
  }
}
