import { USER_AGENT } from '@mgw/config';
import { onDeadline } from '@mgw/deadlines';
import type { Dispatcher } from 'undici';
import type { StreamedBody } from './media-form';

export interface PlatformCall {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  accessToken: string;
  /** JSON, or a body with its own type. */
  body: string | StreamedBody | null;
  /** Added to the usual headers, or in their place. */
  headers?: Record<string, string>;
  /** Epoch milliseconds; the connection is closed then. */
  deadlineAt: number;
  /** Largest body of the response, in bytes; a longer one counts as no response. */
  maxBytes: number;
}

/** The raw result of a request, before its classification. */
export type ExchangeResult =
  | {
      kind: 'response';
      status: number;
      headers: ResponseHeaders;
      /** Parsed JSON; undefined when it was not JSON. */ body: unknown;
      bytes: number;
    }
  /** No complete response. `written` is false only if certainly no byte of the request left. */
  | { kind: 'failed'; written: boolean; problem: string };

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** One request and its response. Never rejects, never follows a redirect, never repeats. */
export function callPlatform(dispatcher: Dispatcher, call: PlatformCall): Promise<ExchangeResult> {
  return new Promise((resolve) => {
    const exchange = new Exchange(resolve, call);
    dispatcher.dispatch(
      {
        method: call.method,
        path: call.path,
        headers: {
          authorization: `Bearer ${call.accessToken}`,
          accept: 'application/json',
          'user-agent': USER_AGENT,
          ...headersOf(call.body),
          ...call.headers,
        },
        body: typeof call.body === 'string' ? call.body : (call.body?.bytes ?? null),
        // The deadline bounds everything.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      exchange,
    );
  });
}

function headersOf(body: PlatformCall['body']): Record<string, string> {
  if (body === null) return {};
  if (typeof body === 'string') return { 'content-type': 'application/json' };
  const { contentType, contentLength } = body;
  return { 'content-type': contentType, ...(contentLength !== null && { 'content-length': String(contentLength) }) };
}

/**
 * Follows undici's steps. It calls `onRequestStart` right before it passes the first byte to the socket. Without that call nothing was
 * written: the name lookup, the connection or the TLS handshake failed, or the time ran out.
 */
class Exchange implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private status = 0;
  private headers: ResponseHeaders = {};
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private done = false;
  private readonly cancelDeadline: () => void;

  constructor(
    private readonly resolve: (result: ExchangeResult) => void,
    private readonly call: PlatformCall,
  ) {
    this.cancelDeadline = onDeadline(Math.max(0, call.deadlineAt - Date.now()), () => this.cut('no response in time'));
  }

  /** Compares the clock: after a suspension of the process no timer has fired yet. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (Date.now() >= this.call.deadlineAt) this.cut('no response in time');
    if (this.done) controller.abort(new Error('the deadline passed before the request was written'));
    else this.controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    this.status = status;
    this.headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > this.call.maxBytes) this.cut('the response was too large');
    else this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.finish({
      kind: 'response',
      status: this.status,
      headers: this.headers,
      body: parsed(Buffer.concat(this.chunks)),
      bytes: this.size,
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, fault: Error): void {
    this.finish(this.failed((fault as { code?: string }).code ?? fault.name));
  }

  private cut(problem: string): void {
    this.finish(this.failed(problem));
    this.controller?.abort(new Error(problem));
  }

  private failed(problem: string): ExchangeResult {
    return { kind: 'failed', written: this.controller !== undefined, problem };
  }

  private finish(result: ExchangeResult): void {
    if (this.done) return;
    this.done = true;
    this.cancelDeadline();
    this.resolve(result);
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
