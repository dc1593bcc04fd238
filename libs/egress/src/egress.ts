import { lookup } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Pool, buildConnector, type Dispatcher } from 'undici';
import type { EgressRules } from './rules';

/** Connections to one address of one host at once; more calls wait for their turn, and for their time. */
const CONNECTIONS = 64;
const MAX_POOLS = 1_000;
const CONNECT_MS = 10_000;
/** How long an idle connection is kept: shorter than servers keep theirs, so that none is used while it is being closed. */
const KEPT_MS = 1_000;
/** Of an answer's body: more, or longer, and the connection is given up. */
const DUMPED_BYTES = 16 * 1024;
const DUMPED_MS = 1_000;

/** How a call ended. `refused`: the address may not be called; `unreachable`: no whole status line came. */
export type EgressResult = { kind: 'answered'; status: number } | { kind: 'refused' } | { kind: 'unreachable' } | { kind: 'timeout' };

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
 * the address that was checked, the peer checked again, TLS verified, no redirect followed, no proxy.
 */
export class Egress {
  private readonly pools = new LRUCache<string, Pool>({
    max: MAX_POOLS,
    ttl: 60_000,
    dispose: (pool) => void pool.close().catch(() => undefined),
  });

  constructor(private readonly rules: EgressRules) {}

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
    const timer = setTimeout(() => timeout.abort(), call.timeoutMs);
    try {
      const address = await withAbort(this.resolve(checked.url), timeout.signal);
      if (address === null) return { kind: 'refused' };
      return await this.exchange(checked.url, address, { call, signal: timeout.signal, read });
    } catch {
      return { kind: timeout.signal.aborted ? 'timeout' : 'unreachable' };
    } finally {
      clearTimeout(timer);
    }
  }

  /** @returns an address to dial, or null when not all of them may be. @throws when the name does not resolve */
  private async resolve(url: URL): Promise<string | null> {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const addresses = isIP(host) ? [host] : (await lookup(host, { all: true })).map(({ address }) => address);
    return addresses.every((address) => this.rules.permits(url, address)) ? (addresses[0] ?? null) : null;
  }

  private async exchange<R>(
    url: URL,
    address: string,
    { call, signal, read }: { call: EgressCall; signal: AbortSignal; read: Read<R> },
  ): Promise<R> {
    const response = await this.poolTo(url, address).request({
      method: 'POST',
      path: url.pathname + url.search,
      headers: call.headers,
      body: call.body,
      signal,
      headersTimeout: call.timeoutMs,
    });
    return read(response);
  }

  /** Connections to just this address. The name is resolved and judged for every call: another address is another pool. */
  private poolTo(url: URL, address: string): Pool {
    const key = `${url.origin}|${address}`;
    const known = this.pools.get(key);
    if (known) return known;
    const connect = buildConnector({ timeout: CONNECT_MS, lookup: (_host, options, found) => answerLookup(address, options, found) });
    const pool = new Pool(url.origin, {
      connections: CONNECTIONS,
      pipelining: 1,
      keepAliveTimeout: KEPT_MS,
      keepAliveMaxTimeout: KEPT_MS,
      connect: (options, connected) =>
        connect(options, (error, socket) => {
          if (error) connected(error, null);
          else if (this.isPeer(url, socket as Socket)) connected(null, socket as Socket);
          else connected((socket as Socket).destroy() && new Error('connected to another address'), null);
        }),
    });
    this.pools.set(key, pool);
    return pool;
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    const pools = [...this.pools.values()];
    this.pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  private isPeer(url: URL, { remoteAddress }: Socket): boolean {
    return remoteAddress !== undefined && this.rules.permits(url, remoteAddress);
  }
}

type Read<R> = (response: Dispatcher.ResponseData) => Promise<R>;

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

type Found = (error: Error | null, address: string | { address: string; family: number }[], family?: number) => void;

function answerLookup(address: string, options: { all?: boolean | undefined }, found: unknown): void {
  const family = isIP(address);
  if (options.all) (found as Found)(null, [{ address, family }]);
  else (found as Found)(null, address, family);
}

function withAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    promise.then(resolve, reject);
  });
}
