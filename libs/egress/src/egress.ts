import { lookup } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import { Client, buildConnector } from 'undici';
import type { EgressRules } from './rules';

/** How a call ended. `refused`: the address may not be called; `unreachable`: no whole status line came. */
export type EgressResult = { kind: 'answered'; status: number } | { kind: 'refused' } | { kind: 'unreachable' } | { kind: 'timeout' };

export interface EgressCall {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Wall time from the first DNS query to the status line, in milliseconds. */
  timeoutMs: number;
}

/**
 * The one door to addresses that customers give (guarantees §5): the rules, DNS, every address public, the connection to just
 * the address that was checked, the peer checked again, TLS verified, no redirect followed, no proxy, the body not read.
 */
export class Egress {
  constructor(private readonly rules: EgressRules) {}

  /** POSTs once; never throws. */
  async post(call: EgressCall): Promise<EgressResult> {
    const checked = this.rules.check(call.url);
    if ('refused' in checked) return { kind: 'refused' };
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), call.timeoutMs);
    try {
      const address = await withAbort(this.resolve(checked.url), timeout.signal);
      if (address === null) return { kind: 'refused' };
      return await this.exchange(checked.url, address, { call, signal: timeout.signal });
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

  private async exchange(url: URL, address: string, { call, signal }: { call: EgressCall; signal: AbortSignal }): Promise<EgressResult> {
    const connect = buildConnector({ timeout: call.timeoutMs, lookup: (_host, options, found) => answerLookup(address, options, found) });
    const client = new Client(url.origin, {
      connect: (options, connected) =>
        connect(options, (error, socket) => {
          if (error) connected(error, null);
          else if (this.isPeer(url, socket as Socket)) connected(null, socket as Socket);
          else connected((socket as Socket).destroy() && new Error('connected to another address'), null);
        }),
      headersTimeout: call.timeoutMs,
    });
    try {
      const response = await client.request({
        method: 'POST',
        path: url.pathname + url.search,
        headers: call.headers,
        body: call.body,
        signal,
      });
      response.body.on('error', () => undefined).destroy();
      return { kind: 'answered', status: response.statusCode };
    } finally {
      client.destroy().catch(() => undefined);
    }
  }

  private isPeer(url: URL, { remoteAddress }: Socket): boolean {
    return remoteAddress !== undefined && this.rules.permits(url, remoteAddress);
  }
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
