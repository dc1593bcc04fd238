import { setTimeout as pause } from 'node:timers/promises';
import { isIP, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { USER_AGENT } from '@mgw/config';
import { urlFault } from '@mgw/contracts';
import { onDeadline } from '@mgw/deadlines';
import { Shares } from '@mgw/shares';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import request from 'undici/lib/api/api-request';
import buildConnector from 'undici/lib/core/connect';
import Client from 'undici/lib/dispatcher/client';
import Pool from 'undici/lib/dispatcher/pool';
import { systemResolver, type Resolve } from './resolver';
import { hostOf, type AddressRefusal, type EgressRules } from './rules';

/** Addresses of one name that a call tries, so that it does not become a scan. */
const MAX_DIALLED = 4;
/** Time for a connection before the next address is tried, in milliseconds. */
const NEXT_ADDRESS_MS = 2_000;
const MAX_POOLS = 1_000;
const CONNECT_MS = 10_000;
/** Lifetime of an idle connection, in milliseconds. Servers keep theirs longer, so no request meets a closing one. */
const IDLE_MS = 1_000;
/** With more open connections than this, none is kept idle. */
const KEEP_IDLE_BELOW = 768;
/** A response body beyond these bounds closes its connection. */
const MAX_DISCARDED_BYTES = 16 * 1024;
const MAX_DISCARD_MS = 1_000;
/** The part of a body that `post` returns, and the time for it after the status line. */
const EXCERPT = { bytes: 2_048, withinMs: 1_000 };
/** Bodies read at once, and one host's part; others close their connection. */
const DISCARDS = { places: 128, largest: 1 / 8 };
/** Interim responses (1xx) before the connection is closed; each costs as much as a response. */
const MAX_INTERIM = 16;
const FLOOD = new Error('too many interim responses');
/** Names of new webhooks that are resolved at once, and one business's part. */
const CHECKED_NAMES = { places: 32, largest: 1 / 8, waiting: { room: 64, largest: 1 / 8 } };
const CHECK_NAME_MS = 2_000;

/**
 * The outcome of a call. `refused`: the address is not allowed. `unreachable`: no complete status line arrived. `cut_off`: `close` or
 * `maySend` ended the call.
 */
export type EgressResult =
  | { kind: 'responded'; status: number; excerpt?: string }
  | { kind: 'refused' }
  | { kind: 'unreachable' }
  | { kind: 'timeout' }
  | { kind: 'cut_off' };

/** An EgressResult with the body as text. A body that is too long or incomplete makes it `unreachable`. */
type EgressResponse = Exclude<EgressResult, { kind: 'responded' }> | { kind: 'responded'; status: number; text: string };

/** A response whose body the caller reads to its end or destroys. */
export interface EgressDownload {
  kind: 'responded';
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Readable;
}

export interface EgressCall {
  url: string;
  headers: Record<string, string>;
  /** Null for a GET. */
  body: string | null;
  /** Wall time from the first DNS query to the status line, in milliseconds. */
  timeoutMs: number;
  /** Called right before the request is written. If it returns false, nothing is written and the call is `cut_off`. */
  maySend?: () => boolean;
}

/**
 * Calls addresses that come from outside; no other code does (guarantees §5). It applies the rules, resolves the name, requires that every
 * address is public, connects to a checked address only, checks the peer, verifies TLS, follows no redirect and uses no proxy. Callers
 * bound their own concurrency, because waiting here would use up the call's time.
 */
export class Egress {
  private readonly pools = new LRUCache<string, Pool>({
    max: MAX_POOLS,
    ttl: 60_000,
    dispose: (pool) => void pool.close().catch(() => undefined),
  });

  private readonly discards = new Shares(DISCARDS);
  private readonly nameChecks = new Shares(CHECKED_NAMES);
  private open = 0;
  private closed = false;

  constructor(
    private readonly rules: EgressRules,
    private readonly names: Resolve = systemResolver(),
  ) {}

  /**
   * Checks an address when a customer sets it (decision 54): its name must not resolve to a non-public address. A name that does not resolve
   * within two seconds is accepted, because each call checks it again.
   * @param holder the business, which has a share of the lookups
   */
  async checkAddress(text: string, holder: string): Promise<{ url: URL } | AddressRefusal> {
    const checked = this.rules.check(text);
    if ('refused' in checked) return checked;
    const fault = urlFault(text);
    if (fault !== null) return { refused: fault };
    if (this.rules.isAllowedName(checked.url) || isIP(hostOf(checked.url)) !== 0) return checked;
    const deadline = AbortSignal.timeout(CHECK_NAME_MS);
    const release = await this.nameChecks.take(holder, CHECK_NAME_MS);
    if (release === null) return checked;
    try {
      const addresses = await withAbort(this.resolve(checked.url), deadline);
      return addresses === null ? { refused: 'must be a public address' } : checked;
    } catch {
      return checked;
    } finally {
      release();
    }
  }

  /**
   * POSTs once and returns the status; never throws. It discards the body, so that the connection can be reused.
   * @param wantsExcerpt whether a response with this status is returned with the beginning of its body
   */
  async post(call: EgressCall, wantsExcerpt: (status: number) => boolean = () => false): Promise<EgressResult> {
    let excerpt: Promise<string> | undefined;
    const result = await this.guarded(call, ({ statusCode, body }) => {
      body.on('error', () => undefined);
      const { host } = new URL(call.url);
      if (wantsExcerpt(statusCode)) excerpt = this.excerptOf(body, host);
      else this.discard(body, host);
      return Promise.resolve({ kind: 'responded' as const, status: statusCode });
    });
    // The call's time has stopped: a slow body does not change the result.
    return result.kind === 'responded' && excerpt !== undefined ? { ...result, excerpt: await excerpt } : result;
  }

  /** POSTs once and reads the response, within the same time; never throws. @param maxBytes largest body */
  postAndRead(call: EgressCall, maxBytes: number): Promise<EgressResponse> {
    return this.guarded(call, async ({ statusCode, body }) => ({
      kind: 'responded',
      status: statusCode,
      text: await bounded(body, maxBytes),
    }));
  }

  /** GETs once and returns the body as a stream; never throws. A body that pauses for longer than the call's timeout ends with an error. */
  get(call: Omit<EgressCall, 'body'>): Promise<EgressDownload | Exclude<EgressResult, { kind: 'responded' }>> {
    return this.guarded({ ...call, body: null }, ({ statusCode, headers, body }) =>
      Promise.resolve({ kind: 'responded', status: statusCode, headers, body }),
    );
  }

  private async guarded<R>(call: EgressCall, read: Read<R>): Promise<R | Exclude<EgressResult, { kind: 'responded' }>> {
    const checked = this.rules.check(call.url);
    if ('refused' in checked) return { kind: 'refused' };
    const end = new AbortController();
    const waiting: Waiting = { isOver: false, isCutOff: false, maySend: call.maySend ?? (() => true) };
    const endsAt = performance.now() + call.timeoutMs;
    const cancelDeadline = onDeadline(call.timeoutMs, () => end.abort());
    try {
      const addresses = await withAbort(this.resolve(checked.url), end.signal);
      if (addresses === null) return { kind: 'refused' };
      if (!waiting.maySend()) return { kind: 'cut_off' };
      // `withAbort`, because undici would end a request that waits for its connection only when connecting fails.
      return await withAbort(this.exchange(checked.url, addresses, { call, waiting, end, read }), end.signal);
    } catch {
      if (waiting.isCutOff) return { kind: 'cut_off' };
      // The connection was closed after too many interim responses. The result is a timeout, at the end of the call's time.
      if (end.signal.reason === FLOOD) await pause(endsAt - performance.now());
      if (end.signal.aborted) return { kind: 'timeout' };
      return { kind: this.closed ? 'cut_off' : 'unreachable' };
    } finally {
      waiting.isOver = true;
      waiting.connecting?.destroy(new Error('the call has ended'));
      cancelDeadline();
    }
  }

  /** Never throws. Empty while too many bodies are read. */
  private async excerptOf(body: Dispatcher.ResponseData['body'], host: string): Promise<string> {
    const release = this.discards.tryTake(host);
    if (release !== null) return beginningOf(body).finally(release);
    body.destroy();
    return '';
  }

  private discard(body: Dispatcher.ResponseData['body'], host: string): void {
    const release = this.discards.tryTake(host);
    if (release === null) return void body.destroy();
    // Not `AbortSignal.timeout`, which makes an error with its stack a second later although the body has ended.
    const timer = setTimeout(() => body.destroy(), MAX_DISCARD_MS);
    void body
      .dump({ limit: MAX_DISCARDED_BYTES })
      .catch(() => body.destroy())
      .finally(() => {
        clearTimeout(timer);
        release();
      });
  }

  /** @returns the addresses to dial, IPv4 first, or null when not all of them may be. @throws when the name does not resolve */
  private async resolve(url: URL): Promise<string[] | null> {
    const host = hostOf(url);
    const addresses = isIP(host) ? [host] : await this.names(host, this.rules.isAllowedName(url) ? 'system' : 'dns');
    if (!addresses.every((address) => this.rules.permits(url, address))) return null;
    return addresses.toSorted((one, other) => isIP(one) - isIP(other)).slice(0, MAX_DIALLED);
  }

  private async exchange<R>(
    url: URL,
    addresses: string[],
    { call, waiting, end, read }: { call: EgressCall; waiting: Waiting; end: AbortController; read: Read<R> },
  ): Promise<R> {
    let interim = 0;
    const response = await (request<Waiting>).call(this.poolTo(url, addresses), {
      method: call.body === null ? 'GET' : 'POST',
      path: url.pathname + url.search,
      headers: { 'user-agent': USER_AGENT, ...call.headers },
      body: call.body,
      signal: end.signal,
      opaque: waiting,
      reset: this.open > KEEP_IDLE_BELOW,
      onInfo: () => {
        interim += 1;
        if (interim <= MAX_INTERIM) return;
        waiting.isOver = true;
        end.abort(FLOOD);
      },
      // `guarded` ends the call in time.
      headersTimeout: 0,
      bodyTimeout: call.timeoutMs,
    });
    return read(response);
  }

  /** Connections to these addresses only. Every call resolves and checks the name; other addresses get another pool. */
  private poolTo(url: URL, addresses: string[]): Pool {
    const key = `${url.origin}|${addresses.toSorted().join()}`;
    const known = this.pools.get(key);
    if (known) return known;
    const connect = buildConnector({
      timeout: CONNECT_MS,
      // Overrides NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: true,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      lookup: (_host, _options, found) =>
        found(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        ),
    });
    const pool = new Pool(url.origin, {
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      factory: (origin, options) =>
        clientWithoutRedial(origin, options as Client.Options, (target, connected) => {
          // undici's type omits the socket that it returns.
          const dialled = connect(target, (error, socket) => {
            if (error) connected(error, null);
            else if (this.isPeer(url, socket)) connected(null, socket);
            else connected(socket.destroy() && new Error('connected to another address'), null);
          }) as unknown as Socket;
          this.open += 1;
          dialled.once('close', () => (this.open -= 1));
          return dialled;
        }),
    });
    this.pools.set(key, pool);
    return pool;
  }

  /** Closes every connection and ends the calls on them. */
  async close(): Promise<void> {
    this.closed = true;
    const pools = [...this.pools.values()];
    this.pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  private isPeer(url: URL, { remoteAddress }: Socket): boolean {
    return remoteAddress !== undefined && this.rules.permits(url, remoteAddress);
  }
}

/** The state of a call, without its request. */
interface Waiting {
  /** The caller has its result. */
  isOver: boolean;
  /** `maySend` returned false once the connection was open. */
  isCutOff: boolean;
  maySend: () => boolean;
  /** The connection that is opening for it. */
  connecting?: Socket | undefined;
}

type Dial = (target: buildConnector.Options, connected: buildConnector.Callback) => Socket;

/** undici dials again for a call that has already ended; this client does not. */
function clientWithoutRedial(origin: URL, options: Client.Options, dial: Dial): Client {
  let newest: Waiting | null = null;
  const client = new Client(origin, {
    ...options,
    connect: (target, connected) => {
      const waiting = newest;
      if (waiting?.isOver) return connected(new Error('the call has ended'), null);
      const socket = dial(target, (...result) => {
        const [, opened] = result;
        if (waiting) waiting.connecting = undefined;
        if (waiting && opened && !waiting.maySend()) {
          waiting.isCutOff = true;
          opened.destroy();
          return connected(new Error('the call may no longer be made'), null);
        }
        connected(...result);
      });
      if (waiting) waiting.connecting = socket;
    },
  });
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (call, handler) => {
    newest = (call as { opaque?: Waiting }).opaque ?? null;
    return dispatch(call, handler);
  };
  return client;
}

type Read<R> = (response: Dispatcher.ResponseData<Waiting>) => Promise<R>;

/** The text that arrives of a body in a short time, without a character that is cut at the end. Closes the connection of a longer body. */
async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const timer = setTimeout(() => body.destroy(), EXCERPT.withinMs);
  // One buffer of the final size: a body in single bytes holds no more memory than another one.
  const excerpt = Buffer.alloc(EXCERPT.bytes);
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunk.copy(excerpt, Math.min(size, EXCERPT.bytes));
      size += chunk.length;
      if (size > EXCERPT.bytes) break;
    }
  } catch {
    // It was cut: what has arrived may still explain the status.
  } finally {
    clearTimeout(timer);
  }
  return new TextDecoder().decode(excerpt.subarray(0, size), { stream: true });
}

/** @throws Error if the body exceeds `maxBytes` */
async function bounded(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error('the response is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function withAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    promise.then(resolve, reject);
  });
}
