import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

export interface GatewayOptions {
  /** The gateway's address without a path: `https://gateway.example.com`. */
  url: string;
  apiKey: string;
  /** Retries of a call that had no effect, or whose Idempotency-Key makes a repeat safe; 3 by default. */
  retries?: number;
  /** The longest pause before a retry, in seconds; a longer `Retry-After` is an error. 60 by default. */
  longestPauseSeconds?: number;
  /**
   * Seconds until an attempt counts as lost; 40 by default, longer than any response of the gateway takes. An attempt that waits for an event
   * gets at least ten more than its wait.
   */
  timeoutSeconds?: number;
}

export interface CallOptions {
  /** For a send or a broadcast; by default each call has one of its own, which its retries repeat. */
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
}

export type FileContent = NonNullable<RequestInit['body']>;

export interface Call {
  method: 'get' | 'post' | 'put' | 'delete';
  path: string;
  at?: Record<string, string | number>;
  query?: object | undefined;
  body?: object | undefined;
  /** Whether the operation takes an Idempotency-Key. */
  takesKey?: boolean;
  /** The body, if it is a file. Files may take longer than other bodies. */
  file?: { content: FileContent; type: string };
  returnsFile?: boolean;
  range?: string | undefined;
  /** Seconds that the gateway may wait for an event before it responds. */
  waitSeconds?: number | undefined;
  /** Retries of this call instead of the option's; with `Infinity` a longer `Retry-After` is cut. */
  retries?: number | undefined;
}

/** The gateway refused a call. Decide by `error_code`. */
export class GatewayRefusal extends Error {
  override readonly name = 'GatewayRefusal';

  constructor(
    readonly status: number,
    /** `RATE_LIMITED` for the bare 429 of the per-minute limits. */
    readonly error_code: string,
    message: string,
    /** The whole body. */
    readonly body: Readonly<Record<string, unknown>>,
    readonly requestId: string | null,
    /** Seconds until a retry may succeed, if the response names them. */
    readonly retryAfterSeconds: number | null,
  ) {
    super(message);
  }
}

const RETRIES = 3;
const LONGEST_PAUSE_SECONDS = 60;
const TIMEOUT_SECONDS = 40;
/** Least time for a response after its wait. */
const AFTER_WAIT_SECONDS = 10;
const FIRST_PAUSE_SECONDS = 0.5;
/** Nothing was done, whatever the method. */
const HAD_NO_EFFECT = new Set(['RATE_LIMITED', 'PLATFORM_THROTTLED', 'PLATFORM_UNAVAILABLE', 'OVERLOADED', 'QUERY_TIMEOUT']);

/** Calls the REST API over HTTP and retries. */
export class Transport {
  constructor(private readonly options: GatewayOptions) {}

  call<R>(call: Call, options?: CallOptions): Promise<R> {
    return this.retried(call, async (response) => (await response.json()) as R, options);
  }

  /** @returns a success whose body has not been read */
  open(call: Call, options?: CallOptions): Promise<Response> {
    return this.retried(call, (response) => Promise.resolve(response), options);
  }

  private async retried<R>(call: Call, read: (response: Response) => Promise<R>, { idempotencyKey, signal }: CallOptions = {}): Promise<R> {
    const { longestPauseSeconds: longest = LONGEST_PAUSE_SECONDS } = this.options;
    const retries = isStream(call.file?.content) ? 0 : (call.retries ?? this.options.retries ?? RETRIES);
    const key = call.takesKey ? (idempotencyKey ?? randomUUID()) : undefined;
    const target = targetOf(this.options.url, call);
    for (let attempt = 0; ; attempt++) {
      try {
        return await read(await this.attempt(target, call, key, signal));
      } catch (error) {
        const named = error instanceof GatewayRefusal ? error.retryAfterSeconds : null;
        const isTooLong = named !== null && named > longest && retries !== Infinity;
        if (attempt === retries || isTooLong || signal?.aborted || !mayRetry(error, call)) throw error;
        await wait(Math.min(longest, named ?? backoffSeconds(attempt)) * 1_000, undefined, { signal });
      }
    }
  }

  private async attempt(target: URL, call: Call, key?: string, signal?: AbortSignal): Promise<Response> {
    const { method, body, file, returnsFile, range, waitSeconds } = call;
    const { apiKey, timeoutSeconds = TIMEOUT_SECONDS } = this.options;
    const seconds = waitSeconds ? Math.max(timeoutSeconds, waitSeconds + AFTER_WAIT_SECONDS) : timeoutSeconds;
    const timeout = file || returnsFile ? [] : [AbortSignal.timeout(seconds * 1_000)];
    // Node.js 20 collects a timeout that only `AbortSignal.any` uses, and then nothing aborts. A listener keeps it.
    for (const signal of timeout) signal.addEventListener('abort', () => undefined);
    const response = await fetch(target, {
      method: method.toUpperCase(),
      headers: {
        'x-api-key': apiKey,
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(range !== undefined && { range }),
        ...(file && { 'content-type': file.type }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      // Node.js sends a stream only with `duplex`.
      ...(file && { body: file.content, duplex: 'half' as const }),
      signal: AbortSignal.any([...(signal ? [signal] : []), ...timeout]),
    });
    if (response.ok) return response;
    throw refusalOf(response, (await response.json().catch(() => ({}))) as Record<string, unknown>);
  }
}

/** Whether content can be read only once: a stream of the web or of Node.js, or an async generator. */
const isStream = (content: FileContent | undefined): boolean => typeof content === 'object' && Symbol.asyncIterator in content;

function targetOf(url: string, { path, at = {}, query = {} }: Call): URL {
  const target = new URL(
    path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(at[name] ?? '')),
    url,
  );
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) target.searchParams.set(name, String(value));
  return target;
}

function refusalOf({ status, headers }: Response, body: Record<string, unknown>): GatewayRefusal {
  const { error_code, error } = body;
  const code = typeof error_code === 'string' ? error_code : status === 429 ? 'RATE_LIMITED' : 'INTERNAL';
  const text = typeof error === 'string' ? error : `the gateway responded with ${status}`;
  const after = Number(headers.get('retry-after') ?? NaN);
  return new GatewayRefusal(status, code, text, body, headers.get('x-request-id'), Number.isFinite(after) ? after : null);
}

/** A lost response may hide an effect, so only calls that may be repeated are retried then. */
function mayRetry(error: unknown, { method, takesKey = false }: Call): boolean {
  const isRepeatable = takesKey || method === 'get' || method === 'put';
  if (!(error instanceof GatewayRefusal)) return isRepeatable;
  if (HAD_NO_EFFECT.has(error.error_code)) return true;
  if (method === 'get') return error.status >= 500;
  return isRepeatable && (error.error_code === 'IDEMPOTENCY_IN_FLIGHT' || (error.status >= 500 && error.error_code === 'INTERNAL'));
}

/** A pause that doubles, with a part left to chance so that callers do not return together. */
const backoffSeconds = (attempt: number) => FIRST_PAUSE_SECONDS * 2 ** attempt * (0.5 + Math.random());
