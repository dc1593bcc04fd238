import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

export interface GatewayOptions {
  /** The gateway's address without a path: `https://gateway.example.com`. */
  url: string;
  apiKey: string;
  /**
   * Retries of a call that had no effect, or whose Idempotency-Key makes a repeat safe; 3 by default. Waiting for the first attempt of a
   * send costs none of them. With 0 each call is one request.
   */
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
  /** For a send, a broadcast or a new webhook; by default each call has one of its own, which its retries repeat. */
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
  /** The key of a send, a broadcast or a new webhook: repeat the call with it, so that nothing is sent or created twice. */
  idempotencyKey?: string;

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
const MAX_PAUSE_SECONDS = 60;
const TIMEOUT_SECONDS = 40;
/** Least time for a response after its wait. */
const AFTER_WAIT_SECONDS = 10;
const FIRST_PAUSE_SECONDS = 0.5;
/**
 * A send takes up to 35 seconds. If its process died, the gateway ends it as OUTCOME_UNKNOWN after up to 105 seconds with its default settings.
 * A caller who gives up earlier might send the message again with a new key.
 */
const IN_FLIGHT_MS = 120_000;
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
    const key = call.takesKey ? (idempotencyKey ?? randomUUID()) : undefined;
    try {
      return await this.repeated(call, read, key, signal);
    } catch (error) {
      throw key === undefined ? error : withKey(error, key, signal);
    }
  }

  private async repeated<R>(call: Call, read: (response: Response) => Promise<R>, key?: string, signal?: AbortSignal): Promise<R> {
    const { longestPauseSeconds: longest = MAX_PAUSE_SECONDS } = this.options;
    const retries = isStream(call.file?.content) ? 0 : (call.retries ?? this.options.retries ?? RETRIES);
    const target = targetOf(this.options.url, call);
    let failures = 0;
    let inFlightSince: number | undefined;
    for (;;) {
      try {
        return await read(await this.attempt(target, call, key, signal));
      } catch (error) {
        const named = error instanceof GatewayRefusal ? error.retryAfterSeconds : null;
        const isTooLong = named !== null && named > longest && retries !== Infinity;
        if (retries === 0 || isTooLong || signal?.aborted) throw error;
        if (isInFlight(error)) {
          inFlightSince ??= performance.now();
          if (performance.now() - inFlightSince > IN_FLIGHT_MS) throw error;
        } else if (failures++ === retries || !mayRetry(error, call)) throw error;
        await wait(Math.min(longest, named ?? backoffSeconds(failures)) * 1_000, undefined, { signal });
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
  return isRepeatable && error.status >= 500 && error.error_code === 'INTERNAL';
}

/** Whether the first request with this Idempotency-Key is still in progress. */
const isInFlight = (error: unknown) => error instanceof GatewayRefusal && error.error_code === 'IDEMPOTENCY_IN_FLIGHT';

/** Names the key in an error. The reason of a signal may belong to several calls, so each of them gets an error of its own. */
function withKey(error: unknown, idempotencyKey: string, signal?: AbortSignal): unknown {
  const isShared = typeof error !== 'object' || error === null || (signal?.aborted === true && error === signal.reason);
  return Object.assign(isShared ? ownError(error) : error, { idempotencyKey });
}

function ownError(reason: unknown): Error {
  const { name = 'AbortError', message = String(reason) } = (reason ?? {}) as Partial<Error>;
  return Object.assign(new Error(message, { cause: reason }), { name });
}

/** A pause that doubles, with a part left to chance so that callers do not return together. */
const backoffSeconds = (failures: number) => FIRST_PAUSE_SECONDS * 2 ** Math.max(0, failures - 1) * (0.5 + Math.random());
