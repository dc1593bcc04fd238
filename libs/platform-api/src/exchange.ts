import type { Dispatcher } from 'undici';

export interface WireCall {
  method: 'GET' | 'POST';
  path: string;
  accessToken: string;
  body: string | null;
  /** Epoch milliseconds; after it the connection is cut. */
  deadlineAt: number;
  /** The size limit of the response's body; a longer one counts as no response. */
  maxBytes: number;
}

/** What came back over the wire, before anyone judges it. */
export type Answer =
  | {
      kind: 'response';
      status: number;
      headers: ResponseHeaders;
      /** Parsed JSON; undefined when it was not JSON. */ body: unknown;
      bytes: number;
    }
  /** No whole response. `written` is false only when it is certain that not one byte of the request left. */
  | { kind: 'failed'; written: boolean; problem: string };

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** One request and its response. Never rejects, never follows a redirect, never repeats. */
export function crossWire(dispatcher: Dispatcher, call: WireCall): Promise<Answer> {
  return new Promise((resolve) => {
    const exchange = new Exchange(resolve, call);
    dispatcher.dispatch(
      {
        method: call.method,
        path: call.path,
        headers: {
          authorization: `Bearer ${call.accessToken}`,
          accept: 'application/json',
          ...(call.body !== null && { 'content-type': 'application/json' }),
        },
        body: call.body,
        // One clock for everything: the deadline.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      exchange,
    );
  });
}

/**
 * Listens to undici's own steps: `onRequestStart` comes immediately before the first byte is handed to the socket, so as long as
 * it has not come, nothing was written - whether there was no address, no connection, a failed TLS handshake or no time.
 */
class Exchange implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private status = 0;
  private headers: ResponseHeaders = {};
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private done = false;
  private readonly timer: NodeJS.Timeout;
  private readonly maxBytes: number;

  constructor(
    private readonly resolve: (answer: Answer) => void,
    { deadlineAt, maxBytes }: WireCall,
  ) {
    this.maxBytes = maxBytes;
    this.timer = setTimeout(() => this.cut('no answer in time'), Math.max(0, deadlineAt - Date.now()));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.done) controller.abort(new Error('the deadline passed before the request was written'));
    else this.controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    this.status = status;
    this.headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > this.maxBytes) this.cut('the answer was too large');
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

  private failed(problem: string): Answer {
    return { kind: 'failed', written: this.controller !== undefined, problem };
  }

  private finish(answer: Answer): void {
    if (this.done) return;
    this.done = true;
    clearTimeout(this.timer);
    this.resolve(answer);
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
