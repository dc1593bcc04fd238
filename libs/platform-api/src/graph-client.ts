import { createHmac } from 'node:crypto';
import { matches, MediaId } from '@mgw/contracts';
import { Shares, type Release } from '@mgw/shares';
import { counter, traced } from '@mgw/telemetry';
import Pool from 'undici/lib/dispatcher/pool';
import { CircuitBreaker } from './circuit-breaker';
import type { SubscribedApp, TokenNode, WebhookConfiguration } from './connection-nodes';
import { callPlatform, type ExchangeResult, type PlatformCall } from './exchange';
import { isMediaNode, type MediaNode } from './media';
import { mediaForm, plainFile, type MediaUpload } from './media-form';
import type { MessageRequest } from './message-request';
import type { ReadOutcome, SendOutcome } from './outcome';
import { PHONE_NUMBER_FIELDS, type PhoneNumberNode } from './phone-number';
import { readOutcome, sendOutcome } from './classify';
import { sendWithRetries } from './send-retries';
import { TEMPLATE_FIELDS, type GraphTemplate } from './template';

interface GraphOptions {
  /** `https://graph.facebook.com`, or a simulator's address; may have a path. */
  baseUrl: string;
  /** For example `v26.0`. */
  version: string;
  /** Maximum number of connections to the platform, and so of calls in flight. Default 128. */
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
  /** Called before each call, because the platform counts them. */
  onCall?: () => void;
  /** Whether a list may use this much memory, in bytes of its JSON so far; otherwise reading stops. */
  mayHold?: (bytes: number) => boolean;
}

/** Page size of templates, and a bound for a list that never ends: an account has at most 6,000 templates (platform §3.1). */
const PAGE_SIZE = 100;
const MAX_PAGES = 100;
/**
 * One number's part of idle connections and of the queue: 1,000 messages a second, the most that WhatsApp takes from a number, need 250 calls
 * at once if it responds within a quarter of a second. A call that hangs keeps its connection for 15 s.
 */
const ONE_NUMBERS_PART = { calls: 1 / 4, queue: 1 / 4 };
/** Largest responses of the platform, in bytes. A send's has a few hundred, a page up to 40 kB for each template. */
const MAX_RESPONSE = 32 * 1024;
const MAX_PAGE = 4 * 1024 * 1024;
/** An upload's id, which is a path with a query. */
const SESSION = /^upload:[\w=+/:.-]{1,2000}(\?[\w=&%.-]{1,2000})?$/;

const calls = counter('mgw_platform_sends_total', "Calls that send a message, by the platform's error code or by what became of them", [
  'code',
]);

/** Calls the Graph API over kept-alive connections. Every call ends by its deadline, and no result or error contains the token. */
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
    const waiting = { room: options.waiting ?? 0, largest: ONE_NUMBERS_PART.queue };
    this.shares = new Shares({ places: connections, largest: ONE_NUMBERS_PART.calls, waiting });
    this.callTimeoutMs = options.callTimeoutMs ?? 15_000;
    this.pool = new Pool(base.origin, {
      connections,
      pipelining: 1,
      // Shorter than any server's timeout: the outcome of a call on a closing connection would be ambiguous.
      keepAliveTimeout: 4_000,
      connect: { timeout: options.connectTimeoutMs ?? 3_000 },
    });
  }

  /**
   * Takes a place of the number's share of connections (guarantees §10, N2). A send takes it before anything is stored and keeps it until its
   * end, so a number whose calls hang delays its own sends only.
   * @param withinMs longest wait in the number's queue
   * @returns null if the number has used its share of connections and of the queue
   */
  takePlace(phoneNumberId: string, withinMs: number): Promise<Release | null> {
    return this.shares.take(phoneNumberId, withinMs);
  }

  /**
   * Sends a message. It retries (at most three calls) only if nothing was written or the platform refused for a reason that may pass at once.
   * A timeout, a reset, a bare 5xx or a malformed response is `unknown` and final (guarantees §1, S2). While the number's circuit is open it
   * returns `unreached` without a call.
   * @param deadlineAt epoch milliseconds
   */
  async sendMessage(target: PhoneNumberTarget, request: MessageRequest, deadlineAt: number): Promise<SendOutcome> {
    if (!this.breaker.allows(target.phoneNumberId)) return { kind: 'unreached', problem: 'it has not responded for a while' };
    const body = JSON.stringify(request);
    const path = this.messagesPath(target);
    const { accessToken } = target;
    const outcome = await sendWithRetries(deadlineAt, async () => {
      const call: PlatformCall = {
        method: 'POST',
        path,
        accessToken,
        body,
        deadlineAt: this.endOfCall(deadlineAt),
        maxBytes: MAX_RESPONSE,
      };
      const result = sendOutcome(await this.exchange('/{phone_number_id}/messages', call));
      calls.inc({ code: result.kind === 'refused' ? String(result.refusal.platformCode ?? 'none') : result.kind });
      return result;
    });
    this.breaker.note(target.phoneNumberId, isClear(outcome));
    return outcome;
  }

  /** Marks a received message as read (platform §1.1). A lost response does no harm, so nothing is retried. */
  async markRead(
    target: PhoneNumberTarget,
    { messageId, typing }: { messageId: string; typing: boolean },
    deadlineAt: number,
  ): Promise<ReadOutcome<{ success: true }>> {
    const receipt = { messaging_product: 'whatsapp', status: 'read', message_id: messageId };
    const result = await this.exchange('/{phone_number_id}/messages', {
      method: 'POST',
      path: this.messagesPath(target),
      accessToken: target.accessToken,
      body: JSON.stringify({ ...receipt, ...(typing && { typing_indicator: { type: 'text' } }) }),
      deadlineAt: this.endOfCall(deadlineAt),
      maxBytes: MAX_RESPONSE,
    });
    return readOutcome(result, ({ success }) => success === true);
  }

  /** State and health of a number (platform §3.3). */
  async getPhoneNumber(target: PhoneNumberTarget, deadlineAt: number): Promise<ReadOutcome<PhoneNumberNode>> {
    const path = `/${encodeURIComponent(target.phoneNumberId)}?fields=${PHONE_NUMBER_FIELDS.join(',')}`;
    const result = await this.get('/{phone_number_id}', path, { ...target, deadlineAt, maxBytes: MAX_RESPONSE });
    return readOutcome<PhoneNumberNode>(result, hasId);
  }

  /** The addresses to which the platform posts the callbacks of a number. */
  async getWebhookConfiguration(
    target: PhoneNumberTarget,
    deadlineAt: number,
  ): Promise<ReadOutcome<{ webhook_configuration?: WebhookConfiguration }>> {
    const path = `/${encodeURIComponent(target.phoneNumberId)}?fields=webhook_configuration`;
    return readOutcome(await this.get('/{phone_number_id}', path, { ...target, deadlineAt, maxBytes: MAX_RESPONSE }), hasId);
  }

  /** Reads the number with a proof that the caller holds the secret of the token's app; the platform refuses a wrong proof. */
  async proveAppSecret(target: PhoneNumberTarget, appSecret: string, deadlineAt: number): Promise<ReadOutcome<{ id: string }>> {
    const proof = createHmac('sha256', appSecret).update(target.accessToken).digest('hex');
    const path = `/${encodeURIComponent(target.phoneNumberId)}?fields=id&appsecret_proof=${proof}`;
    return readOutcome(await this.get('/{phone_number_id}', path, { ...target, deadlineAt, maxBytes: MAX_RESPONSE }), hasId);
  }

  /** State and scopes of a token, which inspects itself. */
  async debugToken(accessToken: string, deadlineAt: number): Promise<ReadOutcome<{ data: TokenNode }>> {
    const path = `/debug_token?input_token=${encodeURIComponent(accessToken)}`;
    const result = await this.get('/debug_token', path, { accessToken, deadlineAt, maxBytes: MAX_RESPONSE });
    return readOutcome(result, ({ data }) => typeof (data as TokenNode | null | undefined)?.is_valid === 'boolean');
  }

  /** The apps that get the callbacks of an account. */
  async listSubscribedApps(target: BusinessAccountTarget, deadlineAt: number): Promise<ReadOutcome<{ data: SubscribedApp[] }>> {
    const path = `/${encodeURIComponent(target.businessAccountId)}/subscribed_apps`;
    const result = await this.get('/{business_account_id}/subscribed_apps', path, { ...target, deadlineAt, maxBytes: MAX_RESPONSE });
    return readOutcome(result, ({ data }) => Array.isArray(data));
  }

  /** Subscribes the token's app to the callbacks of an account. */
  async subscribeToAccount({ businessAccountId, accessToken }: BusinessAccountTarget, deadlineAt: number) {
    const path = `/${encodeURIComponent(businessAccountId)}/subscribed_apps`;
    const call = { method: 'POST' as const, path, accessToken, body: null, deadlineAt };
    return this.write('/{business_account_id}/subscribed_apps', call, ({ success }) => success === true);
  }

  /** Passes a file on while it arrives. It is repeated by its caller only. */
  async uploadMedia(target: PhoneNumberTarget, upload: MediaUpload, deadlineAt: number): Promise<ReadOutcome<{ id: string }>> {
    const path = `${this.prefix}/${encodeURIComponent(target.phoneNumberId)}/media`;
    const { accessToken } = target;
    const call = { method: 'POST' as const, path, accessToken, body: mediaForm(upload), deadlineAt, maxBytes: MAX_RESPONSE };
    return readOutcome(await this.exchange('/{phone_number_id}/media', call), ({ id }) => matches(MediaId, id));
  }

  /**
   * Passes the sample of a template's header on while it arrives, in the name of the token's app (platform §3.4).
   * @returns its handle, for the template
   */
  async uploadSample(accessToken: string, upload: MediaUpload & { size: number }, deadlineAt: number): Promise<ReadOutcome<{ h: string }>> {
    const token = await this.debugToken(accessToken, deadlineAt);
    if (token.kind !== 'ok') return token;
    const about = new URLSearchParams({ file_name: upload.filename, file_length: String(upload.size), file_type: upload.mimeType });
    const path = `/${encodeURIComponent(token.value.data.app_id ?? 'app')}/uploads?${about.toString()}`;
    const call = { method: 'POST' as const, path, accessToken, body: null, deadlineAt };
    const session = await this.write<{ id: string }>('/{app_id}/uploads', call, ({ id }) => typeof id === 'string' && SESSION.test(id));
    if (session.kind !== 'ok') return session;
    const result = await this.exchange('/{upload_session}', {
      method: 'POST',
      path: `${this.prefix}/${session.value.id}`,
      accessToken,
      headers: { authorization: `OAuth ${accessToken}`, file_offset: '0' },
      body: plainFile(upload),
      deadlineAt,
      maxBytes: MAX_RESPONSE,
    });
    return readOutcome(result, ({ h }) => typeof h === 'string' && h !== '');
  }

  /** The address of a file of this number, valid for five minutes. */
  async getMedia({ phoneNumberId, accessToken }: PhoneNumberTarget, mediaId: string, deadlineAt: number): Promise<ReadOutcome<MediaNode>> {
    const path = `/${encodeURIComponent(mediaId)}?phone_number_id=${encodeURIComponent(phoneNumberId)}`;
    return readOutcome(await this.get('/{media_id}', path, { accessToken, deadlineAt, maxBytes: MAX_RESPONSE }), isMediaNode);
  }

  /**
   * Lists every template of the account (platform §3.1). If a page fails the whole list fails.
   */
  async listTemplates(target: BusinessAccountTarget, deadlineAt: number, list: ListOptions = {}): Promise<ReadOutcome<GraphTemplate[]>> {
    const path = `/${encodeURIComponent(target.businessAccountId)}/message_templates?limit=${PAGE_SIZE}&fields=${TEMPLATE_FIELDS.join(',')}`;
    const templates: GraphTemplate[] = [];
    let after: string | undefined;
    let bytes = 0;
    for (let page = 0; page < MAX_PAGES; page++) {
      const cursor = after === undefined ? '' : `&after=${encodeURIComponent(after)}`;
      list.onCall?.();
      const result = await this.get('/{business_account_id}/message_templates', path + cursor, {
        ...target,
        deadlineAt,
        maxBytes: MAX_PAGE,
      });
      const outcome = readOutcome<TemplatePage>(result, ({ data }) => Array.isArray(data));
      if (outcome.kind !== 'ok') return outcome;
      bytes += result.kind === 'response' ? result.bytes : 0;
      if (list.mayHold?.(bytes) === false)
        return { kind: 'unavailable', problem: 'there is not enough memory for this list of templates now' };
      templates.push(...outcome.value.data);
      const next = outcome.value.paging?.next === undefined ? undefined : outcome.value.paging.cursors?.after;
      if (next === undefined || next === after) return { kind: 'ok', value: templates };
      after = next;
    }
    return { kind: 'unavailable', problem: `the list of templates did not end after ${MAX_PAGES} pages` };
  }

  /** Submits a template for review. A lost response is not retried: a sync shows whether it exists. */
  async createTemplate({ businessAccountId, accessToken }: BusinessAccountTarget, template: object, deadlineAt: number) {
    const path = `/${encodeURIComponent(businessAccountId)}/message_templates`;
    const call = { method: 'POST' as const, path, accessToken, body: JSON.stringify(template), deadlineAt };
    return this.write('/{business_account_id}/message_templates', call, hasId);
  }

  /** Replaces the content of a template, which is reviewed again. */
  async editTemplate({ templateId, accessToken }: { templateId: string; accessToken: string }, change: object, deadlineAt: number) {
    const path = `/${encodeURIComponent(templateId)}`;
    const call = { method: 'POST' as const, path, accessToken, body: JSON.stringify(change), deadlineAt };
    return this.write('/{template_id}', call, ({ success }) => success === true);
  }

  /** Deletes a template in one language. */
  async deleteTemplate(
    { businessAccountId, accessToken }: BusinessAccountTarget,
    { id, name }: { id: string; name: string },
    deadlineAt: number,
  ) {
    const query = `name=${encodeURIComponent(name)}&hsm_id=${encodeURIComponent(id)}`;
    const path = `/${encodeURIComponent(businessAccountId)}/message_templates?${query}`;
    const call = { method: 'DELETE' as const, path, accessToken, body: null, deadlineAt };
    return this.write('/{business_account_id}/message_templates', call, ({ success }) => success === true);
  }

  /** Waits for the calls in flight, then closes the connections. */
  async close(): Promise<void> {
    await this.pool.close();
  }

  private async write<T>(
    template: string,
    call: Omit<PlatformCall, 'maxBytes'>,
    hasShape: (body: Record<string, unknown>) => boolean,
  ): Promise<ReadOutcome<T>> {
    const bounded = { ...call, path: this.prefix + call.path, deadlineAt: this.endOfCall(call.deadlineAt), maxBytes: MAX_RESPONSE };
    return readOutcome(await this.exchange(template, bounded), hasShape);
  }

  private get(
    template: string,
    path: string,
    read: { accessToken: string; deadlineAt: number; maxBytes: number },
  ): Promise<ExchangeResult> {
    const { accessToken, maxBytes } = read;
    const call = { path: this.prefix + path, accessToken, deadlineAt: this.endOfCall(read.deadlineAt), maxBytes };
    return this.exchange(template, { method: 'GET', body: null, ...call });
  }

  private messagesPath({ phoneNumberId }: PhoneNumberTarget): string {
    return `${this.prefix}/${encodeURIComponent(phoneNumberId)}/messages`;
  }

  private endOfCall(deadlineAt: number): number {
    return Math.min(deadlineAt, Date.now() + this.callTimeoutMs);
  }

  /** @param template the path without its ids, for the trace */
  private exchange(template: string, call: PlatformCall): Promise<ExchangeResult> {
    const attributes = { 'http.request.method': call.method, 'url.template': template, ...this.server };
    return traced(`${call.method} ${template}`, { kind: 'client', attributes }, async (span) => {
      const result = await callPlatform(this.pool, call);
      if (result.kind === 'failed') span.fail(result.problem);
      else {
        span.set({ 'http.response.status_code': result.status });
        if (result.status >= 400) span.fail(String(result.status));
      }
      return result;
    });
  }
}

function hasId({ id }: Record<string, unknown>): boolean {
  return typeof id === 'string';
}

/** Whether the platform responded clearly for this number, with a success or a refusal. */
function isClear(outcome: SendOutcome): boolean {
  return outcome.kind === 'accepted' || (outcome.kind === 'refused' && outcome.refusal.errorCode !== 'PLATFORM_UNAVAILABLE');
}

interface TemplatePage {
  data: GraphTemplate[];
  paging?: { cursors?: { before?: string; after?: string }; next?: string };
}
