import { isIP, type Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Client, Pool, buildConnector, type Dispatcher } from 'undici';
import { systemResolver, type Resolve } from './resolver';
import type { EgressRules } from './rules';

/** Of a name with more addresses only so many are tried: one call must not become a scan. */
const DIALLED = 4;
/** How long one address may take to connect before the next is tried. */
const NEXT_ADDRESS_MS = 2_000;
const MAX_POOLS = 1_000;
const CONNECT_MS = 10_000;
/** How long an idle connection is kept: shorter than servers keep theirs, so that none is used while it is being closed. */
const KEPT_MS = 1_000;
/** Of an answer's body: more, or longer, and the connection is given up. */
const DUMPED_BYTES = 16 * 1024;
const DUMPED_MS = 1_000;

/** How a call ended. `refused`: the address may not be called; `unreachable`: no whole status line came; `cut_off`: nor could one, since `close`. */
export type EgressResult =
  { kind: 'answered'; status: number } | { kind: 'refused' } | { kind: 'unreachable' } | { kind: 'timeout' } | { kind: 'cut_off' };

/** As EgressResult, with the body as text. `unreachable` also when it was longer than allowed or did not come whole. */
export type EgressAnswer = Exclude<EgressResult, { kind: 'answered' }> | { kind: 'answered'; status: number; text: string };

export interface EgressCall {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Wall time from the first DNS query to the status line, in milliseconds. */
  timeoutMs: number;
}

/**
 * The one door to addresses that customers give (guarantees §5): the rules, DNS, every address public, the connection to just
 * the addresses that were checked, the peer checked again, TLS verified, no redirect followed, no proxy. How many calls run at
 * once is their callers' to bound: one that had to wait here would lose its time to others.
 */
export class Egress {
  private readonly pools = new LRUCache<string, Pool>({
    max: MAX_POOLS,
    ttl: 60_000,
    dispose: (pool) => void pool.close().catch(() => undefined),
  });

  private closed = false;

  constructor(
    private readonly rules: EgressRules,
    private readonly names: Resolve = systemResolver(),
  ) {}

  /** POSTs once and judges by the status line; never throws. What follows it is thrown away, so that the connection can be used again. */
  post(call: EgressCall): Promise<EgressResult> {
    return this.guarded(call, async ({ statusCode, body }) => {
      void body.dump({ limit: DUMPED_BYTES, signal: AbortSignal.timeout(DUMPED_MS) }).catch(() => body.destroy());
      body.on('error', () => undefined);
      return { kind: 'answered', status: statusCode };
    });
  }

  /** POSTs once and reads the answer, within the same time; never throws. @param maxBytes of the body */
  ask(call: EgressCall, maxBytes: number): Promise<EgressAnswer> {
    return this.guarded(call, async ({ statusCode, body }) => ({
      kind: 'answered',
      status: statusCode,
      text: await bounded(body, maxBytes),
    }));
  }

  private async guarded<R>(call: EgressCall, read: Read<R>): Promise<R | Exclude<EgressResult, { kind: 'answered' }>> {
    const checked = this.rules.check(call.url);
    if ('refused' in checked) return { kind: 'refused' };
    const timeout = new AbortController();
    const waiting = { isOver: false };
    const timer = setTimeout(() => timeout.abort(), call.timeoutMs);
    try {
      const addresses = await withAbort(this.resolve(checked.url), timeout.signal);
      if (addresses === null) return { kind: 'refused' };
      // undici ends a request whose connection is not there yet only when connecting has failed.
      return await withAbort(this.exchange(checked.url, addresses, { call, waiting, signal: timeout.signal, read }), timeout.signal);
    } catch {
      if (timeout.signal.aborted) return { kind: 'timeout' };
      return { kind: this.closed ? 'cut_off' : 'unreachable' };
    } finally {
      waiting.isOver = true;
      clearTimeout(timer);
    }
  }

  /** @returns the addresses to dial, IPv4 first, or null when not all of them may be. @throws when the name does not resolve */
  private async resolve(url: URL): Promise<string[] | null> {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const addresses = isIP(host) ? [host] : await this.names(host, this.rules.isAllowedName(url) ? 'system' : 'dns');
    if (!addresses.every((address) => this.rules.permits(url, address))) return null;
    return addresses.toSorted((one, other) => isIP(one) - isIP(other)).slice(0, DIALLED);
  }

  private async exchange<R>(
    url: URL,
    addresses: string[],
    { call, waiting, signal, read }: { call: EgressCall; waiting: Waiting; signal: AbortSignal; read: Read<R> },
  ): Promise<R> {
    const response = await this.poolTo(url, addresses).request({
      method: 'POST',
      path: url.pathname + url.search,
      headers: call.headers,
      body: call.body,
      signal,
      opaque: waiting,
      headersTimeout: call.timeoutMs,
    });
    return read(response);
  }

  /** Connections to just these addresses. The name is resolved and judged for every call: other addresses are another pool. */
  private poolTo(url: URL, addresses: string[]): Pool {
    const key = `${url.origin}|${addresses.toSorted().join()}`;
    const known = this.pools.get(key);
    if (known) return known;
    const connect = buildConnector({
      timeout: CONNECT_MS,
      // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
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
      keepAliveTimeout: KEPT_MS,
      keepAliveMaxTimeout: KEPT_MS,
      factory: (origin, options) =>
        clientThatWaits(origin, options as Client.Options, (target, connected) =>
          connect(target, (error, socket) => {
            if (error) connected(error, null);
            else if (this.isPeer(url, socket as Socket)) connected(null, socket as Socket);
            else connected((socket as Socket).destroy() && new Error('connected to another address'), null);
          }),
        ),
    });
    this.pools.set(key, pool);
    return pool;
  }

  /** Ends every connection, and the calls on them. */
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

/** Whether somebody still waits for a call's answer. */
interface Waiting {
  isOver: boolean;
}

/** undici dials again after a call was given up, only to find that there is nothing to send: this client does not. */
function clientThatWaits(origin: URL, options: Client.Options, connect: buildConnector.connector): Client {
  let newest: Waiting | null = null;
  const client = new Client(origin, {
    ...options,
    connect: (target, connected) => {
      if (newest?.isOver) connected(new Error('nobody waits for an answer any more'), null);
      else connect(target, connected);
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

/** @throws Error when there is more than `maxBytes` of it */
async function bounded(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error('the answer is too long');
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
