import { Shares, type Release } from '@mgw/shares';
import { counter, traced } from '@mgw/telemetry';
import { Pool } from 'undici';
import { CircuitBreaker } from './circuit-breaker';
import { crossWire, type Answer, type WireCall } from './exchange';
import type { MessageRequest } from './message-request';
import type { ReadOutcome, SendOutcome } from './outcome';
import { PHONE_NUMBER_FIELDS, type PhoneNumberNode } from './phone-number';
import { readOutcome, sendOutcome } from './classify';
import { sendWithin } from './attempts';
import { TEMPLATE_FIELDS, type GraphTemplate } from './template';

export interface GraphOptions {
  /** `https://graph.facebook.com`, or a simulator's address; may have a path. */
  baseUrl: string;
  /** For example `v26.0`. */
  version: string;
  /** Connections to the platform at most, and so calls in flight at once. Default 128. */
  connections?: number;
  /** Sends that may wait for their number's share of the connections. Default 0. */
  waiting?: number;
  /** How long one call may take, in milliseconds. Default 15000 (decision 51). */
  callTimeoutMs?: number;
  /** For a TCP connection and its TLS handshake, in milliseconds. Default 3000. */
  connectTimeoutMs?: number;
}

export interface PhoneNumberTarget {
  phoneNumberId: string;
  accessToken: string;
}

export interface BusinessAccountTarget {
  businessAccountId: string;
  accessToken: string;
}

export interface ListOptions {
  /** Called before each call goes out: the platform counts them. */
  onCall?: () => void;
  /** Whether a list of this size may be held in memory, in bytes of its JSON so far; else the list is not read. */
  mayHold?: (bytes: number) => boolean;
}

/** A page of templates, and a stop for a platform that never ends its list: 6,000 templates is Meta's own bound (platform §3.1). */
const PAGE_SIZE = 100;
const MAX_PAGES = 100;
/** The parts of an idle pool that one number may take: of the connections, which a call that hangs keeps for 15 s, and of the queue. */
const ONE_NUMBER = { calls: 1 / 16, queue: 1 / 4 };
/** Sizes of the platform's responses, in bytes: a few hundred to a send, and up to 40 kB for each template of a page. */
const MAX_RESPONSE = 32 * 1024;
const MAX_PAGE = 4 * 1024 * 1024;

const calls = counter('mgw_platform_sends_total', "Calls that send a message, by the platform's error code or by what became of them", [
  'code',
]);

/** Speaks the Graph API over kept-alive connections. Nothing it does outlives the deadline it is given; nothing it answers or throws holds the token. */
export class GraphClient {
  private readonly pool: Pool;
  private readonly prefix: string;
  private readonly server: { 'server.address': string; 'server.port': number };
  private readonly breaker = new CircuitBreaker();
  private readonly shares: Shares;
  private readonly callTimeoutMs: number;

  constructor(options: GraphOptions) {
    const base = new URL(options.baseUrl);
    const path = base.pathname.replace(/\/+$/, '');
    this.prefix = options.version ? `${path}/${options.version}` : path;
    this.server = { 'server.address': base.hostname, 'server.port': Number(base.port) || (base.protocol === 'http:' ? 80 : 443) };
    const connections = options.connections ?? 128;
    const waiting = { room: options.waiting ?? 0, largest: ONE_NUMBER.queue };
    this.shares = new Shares({ places: connections, largest: ONE_NUMBER.calls, waiting });
    this.callTimeoutMs = options.callTimeoutMs ?? 15_000;
    this.pool = new Pool(base.origin, {
      connections,
      pipelining: 1,
      // Shorter than any server's own: a call on a connection that the other side is closing would be ambiguous.
      keepAliveTimeout: 4_000,
      connect: { timeout: options.connectTimeoutMs ?? 3_000 },
    });
  }

  /**
   * Takes the number's place among the connections (guarantees §10, N2). Whoever sends takes it before anything is stored, and holds it
   * until the send has ended: a number whose calls hang keeps its own sends waiting, and no other's.
   * @param withinMs how long to wait in the number's queue
   * @returns null when the number has its share of connections and of the queue
   */
  takePlace(phoneNumberId: string, withinMs: number): Promise<Release | null> {
    return this.shares.take(phoneNumberId, withinMs);
  }

  /**
   * Sends one message. Tried again (at most three calls) only when nothing was written or the platform refused it in a way
   * that may pass at once; a timeout, a reset, a bare 5xx or a malformed answer is `unknown` and final (guarantees §1, S2).
   * `unreached` without a call while the number's circuit is open.
   * @param deadlineAt epoch milliseconds
   */
  async sendMessage(target: PhoneNumberTarget, request: MessageRequest, deadlineAt: number): Promise<SendOutcome> {
    if (!this.breaker.allows(target.phoneNumberId)) return { kind: 'unreached', problem: 'it has not answered for a while' };
    const body = JSON.stringify(request);
    const path = `${this.prefix}/${encodeURIComponent(target.phoneNumberId)}/messages`;
    const { accessToken } = target;
    const outcome = await sendWithin(deadlineAt, async () => {
      const call: WireCall = {
        method: 'POST',
        path,
        accessToken,
        body,
        deadlineAt: this.endOfCall(deadlineAt),
        maxBytes: MAX_RESPONSE,
      };
      const told = sendOutcome(await this.exchange('/{phone_number_id}/messages', call));
      calls.inc({ code: told.kind === 'refused' ? String(told.refusal.platformCode ?? 'none') : told.kind });
      return told;
    });
    this.breaker.note(target.phoneNumberId, isClear(outcome));
    return outcome;
  }

  /** State and health of a number (platform §3.3). */
  async getPhoneNumber(target: PhoneNumberTarget, deadlineAt: number): Promise<ReadOutcome<PhoneNumberNode>> {
    const path = `/${encodeURIComponent(target.phoneNumberId)}?fields=${PHONE_NUMBER_FIELDS.join(',')}`;
    const answer = await this.get('/{phone_number_id}', path, { ...target, deadlineAt, maxBytes: MAX_RESPONSE });
    return readOutcome<PhoneNumberNode>(answer, (node) => typeof node['id'] === 'string');
  }

  /**
   * Every template of the account, all pages (platform §3.1). One failing page fails the whole: half a list is no list.
   */
  async listTemplates(target: BusinessAccountTarget, deadlineAt: number, list: ListOptions = {}): Promise<ReadOutcome<GraphTemplate[]>> {
    const path = `/${encodeURIComponent(target.businessAccountId)}/message_templates?limit=${PAGE_SIZE}&fields=${TEMPLATE_FIELDS.join(',')}`;
    const templates: GraphTemplate[] = [];
    let after: string | undefined;
    let bytes = 0;
    for (let page = 0; page < MAX_PAGES; page++) {
      const cursor = after === undefined ? '' : `&after=${encodeURIComponent(after)}`;
      list.onCall?.();
      const answer = await this.get('/{business_account_id}/message_templates', path + cursor, {
        ...target,
        deadlineAt,
        maxBytes: MAX_PAGE,
      });
      const outcome = readOutcome<TemplatePage>(answer, ({ data }) => Array.isArray(data));
      if (outcome.kind !== 'ok') return outcome;
      bytes += answer.kind === 'response' ? answer.bytes : 0;
      if (list.mayHold?.(bytes) === false) return { kind: 'unavailable', problem: 'there is no room for so long a list of templates now' };
      templates.push(...outcome.value.data);
      const next = outcome.value.paging?.next === undefined ? undefined : outcome.value.paging.cursors?.after;
      if (next === undefined || next === after) return { kind: 'ok', value: templates };
      after = next;
    }
    return { kind: 'unavailable', problem: `the list of templates did not end after ${MAX_PAGES} pages` };
  }

  /** Waits for the calls in flight, then closes the connections. */
  async close(): Promise<void> {
    await this.pool.close();
  }

  private get(template: string, path: string, read: { accessToken: string; deadlineAt: number; maxBytes: number }): Promise<Answer> {
    const { accessToken, maxBytes } = read;
    const call = { path: this.prefix + path, accessToken, deadlineAt: this.endOfCall(read.deadlineAt), maxBytes };
    return this.exchange(template, { method: 'GET', body: null, ...call });
  }

  private endOfCall(deadlineAt: number): number {
    return Math.min(deadlineAt, Date.now() + this.callTimeoutMs);
  }

  /** @param template the path without its ids, for the trace */
  private exchange(template: string, call: WireCall): Promise<Answer> {
    const attributes = { 'http.request.method': call.method, 'url.template': template, ...this.server };
    return traced(`${call.method} ${template}`, { kind: 'client', attributes }, async (span) => {
      const answer = await crossWire(this.pool, call);
      if (answer.kind === 'failed') span.fail(answer.problem);
      else {
        span.set({ 'http.response.status_code': answer.status });
        if (answer.status >= 400) span.fail(String(answer.status));
      }
      return answer;
    });
  }
}

/** Whether the platform is there for this number, whatever it said. */
function isClear(outcome: SendOutcome): boolean {
  return outcome.kind === 'accepted' || (outcome.kind === 'refused' && outcome.refusal.errorCode !== 'PLATFORM_UNAVAILABLE');
}

interface TemplatePage {
  data: GraphTemplate[];
  paging?: { cursors?: { before?: string; after?: string }; next?: string };
}
