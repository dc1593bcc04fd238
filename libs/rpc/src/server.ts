import { Server, type BaseRpcContext, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { GatewayError, matches, mismatch, type Operation, type WireError } from '@mgw/contracts';
import { gauge, histogram, traced, type Logger } from '@mgw/telemetry';
import { headers, type Msg, type MsgHdrs, type NatsConnection, type Subscription } from 'nats';
import { lastValueFrom } from 'rxjs';
import { ERROR_HEADER, TRACE_HEADER, fromHeaders, spanAttributes, type HandlerContext } from './context';
import type { Handled } from './handles';

export interface RpcServerOptions {
  connection: NatsConnection;
  /** The queue group: replicas with the same name share the requests. */
  service: string;
  /** Requests handled at once; one more is answered OVERLOADED (guarantees §6). */
  concurrency: number;
  logger: Logger;
  /** How long `close` waits for handlers that run, in milliseconds; who still waits then is told REPLY_LOST. */
  drainMs: number;
}

/** A request on its way to its answer. */
interface Running {
  operation: Operation;
  message: Msg;
  context: HandlerContext;
  /** In the list of all. */
  place: number;
  answered: boolean;
}

/** What handlers have for their end when `close` cannot wait longer, in milliseconds: the last part of its time. */
const LAST_WORDS_MS = 1_500;

/** Bytes of the requests handled at once: most are a kilobyte, a callback of the platform up to 4 MB. One more is answered OVERLOADED. */
const MOST_BYTES = 32 * 1024 * 1024;

const duration = histogram('mgw_rpc_duration_seconds', 'Requests answered by this service', ['method', 'outcome']);

/** Answers other services: Nest's transport for `@Handles` methods, with deadlines, a bound and a drain of its own. */
export class RpcServer extends Server implements CustomTransportStrategy {
  private readonly subscriptions: Subscription[] = [];
  /** A list, and not a Set, which leaves old tables behind as it grows and shrinks (requests.ts). */
  private readonly running: Running[] = [];
  private runningBytes = 0;
  /** To be called when nothing runs any more. */
  private finished: (() => void) | undefined;

  constructor(private readonly options: RpcServerOptions) {
    super();
    gauge('mgw_rpc_running', 'Requests being handled now', [], () => this.running.length);
  }

  listen(ready: () => void): void {
    for (const [subject, handler] of this.getHandlers()) {
      const { operation } = handler.extras as { operation: Operation };
      const callback = (error: Error | null, message: Msg) => {
        if (error) this.options.logger.error({ err: error, method: subject }, 'subscription failed');
        else this.take(operation, handler, message);
      };
      this.subscriptions.push(this.options.connection.subscribe(subject, { queue: this.options.service, callback }));
    }
    // The server must have the subscriptions before the service calls itself ready.
    void this.options.connection.flush().then(ready);
  }

  /** Takes no more, lets finish what runs, answers what does not, and sees the answers off (guarantees §8). */
  async close(): Promise<void> {
    const { connection, drainMs, logger } = this.options;
    if (connection.isClosed()) return;
    const drained = Promise.all(this.subscriptions.map((subscription) => subscription.drain().catch(() => undefined))).then(() =>
      this.idle(),
    );
    const hurry = setTimeout(() => this.running.forEach(({ context }) => context.interrupt()), drainMs - LAST_WORDS_MS);
    await Promise.race([drained, new Promise((resolve) => setTimeout(resolve, drainMs).unref())]);
    clearTimeout(hurry);
    for (const request of this.running) {
      logger.warn({ method: request.operation.subject, request_id: request.context.requestId }, 'stopped before the request was handled');
      this.refuse(request, new GatewayError('REPLY_LOST', 'The service stopped before the answer came.'));
    }
    await connection.flush().catch(() => undefined);
  }

  on(): void {
    throw new Error('this transport has no events of its own: watch the connection');
  }

  unwrap<T>(): T {
    return this.options.connection as T;
  }

  private idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.running.length === 0) resolve();
      else this.finished = resolve;
    });
  }

  private take(operation: Operation, handler: MessageHandler, message: Msg): void {
    const stop = duration.startTimer({ method: operation.subject });
    const bytes = message.data.length;
    const context = fromHeaders(message.headers, operation.deadlineMs);
    const request: Running = { operation, message, context, place: this.running.length, answered: false };
    if (this.running.length >= this.options.concurrency || this.runningBytes + bytes > MOST_BYTES) {
      this.refuse(
        request,
        new GatewayError('OVERLOADED', 'The service has all the work it can take; nothing was done. Try again shortly.'),
      );
      stop({ outcome: 'OVERLOADED' });
      return;
    }
    this.running.push(request);
    this.runningBytes += bytes;
    void this.trace(request, handler)
      .then((outcome) => stop({ outcome }))
      .catch((error: unknown) => this.options.logger.error({ err: error, method: operation.subject }, 'answer could not be sent'))
      .finally(() => {
        this.forget(request);
        this.runningBytes -= bytes;
        if (this.running.length === 0) this.finished?.();
      });
  }

  private forget({ place }: Running): void {
    const last = this.running.pop();
    if (!last || last.place === place) return;
    last.place = place;
    this.running[place] = last;
  }

  private trace(request: Running, handler: MessageHandler): Promise<string> {
    const { operation, message } = request;
    const parent = message.headers?.get(TRACE_HEADER) || null;
    return traced(operation.subject, { kind: 'server', parent, attributes: spanAttributes(operation) }, async (span) => {
      const outcome = await this.handle(request, handler);
      if (outcome !== 'ok') span.fail(outcome);
      return outcome;
    });
  }

  private async handle(request: Running, handler: MessageHandler): Promise<string> {
    const { operation } = request;
    const handled = await this.run(request, handler);
    if ('failure' in handled) return this.refuse(request, this.known(handled.failure, request));
    if (!matches(operation.reply, handled.reply)) {
      const wrong = new Error(`the reply is not as agreed: ${mismatch(operation.reply, handled.reply)}`);
      return this.refuse(request, this.known(wrong, request));
    }
    try {
      this.respond(request, handled.reply);
    } catch (error) {
      // Larger than the broker takes.
      return this.refuse(request, this.known(error, request));
    }
    return 'ok';
  }

  private async run({ operation, message, context }: Running, handler: MessageHandler): Promise<Handled> {
    if (context.deadlineAt <= Date.now()) return { failure: new GatewayError('DEADLINE_EXCEEDED', 'The caller has stopped waiting.') };
    let request: unknown;
    try {
      request = message.json();
    } catch {
      return { failure: new GatewayError('VALIDATION_FAILED', 'The request is not JSON.') };
    }
    if (!matches(operation.request, request)) {
      return { failure: new GatewayError('VALIDATION_FAILED', `The request is not as agreed: ${mismatch(operation.request, request)}`) };
    }
    try {
      const stream = this.transformToObservable(await handler(request, context as unknown as BaseRpcContext));
      return (await lastValueFrom(stream)) as Handled;
    } catch (failure) {
      return { failure };
    }
  }

  /** Anything but our own error type is a defect: logged with its stack here, and told without it. */
  private known(failure: unknown, { operation, context: { requestId } }: Running): GatewayError {
    if (failure instanceof GatewayError) return failure;
    this.options.logger.error({ err: failure, method: operation.subject, request_id: requestId }, 'request failed');
    return new GatewayError('INTERNAL', 'Something went wrong on our side.');
  }

  private refuse(request: Running, error: GatewayError): string {
    const marked = headers();
    marked.set(ERROR_HEADER, '1');
    const wire: WireError = error.toWire();
    this.respond(request, wire, marked);
    return error.error_code;
  }

  /** Once: a handler may end after its request was given up. */
  private respond(request: Running, body: unknown, marked?: MsgHdrs): void {
    if (request.answered) return;
    request.message.respond(JSON.stringify(body), marked && { headers: marked });
    request.answered = true;
  }
}
