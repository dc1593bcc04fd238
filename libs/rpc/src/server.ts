import { setTimeout as pause } from 'node:timers/promises';
import { AsyncResource } from 'node:async_hooks';
import { Server, type BaseRpcContext, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { GatewayError, matches, mismatch, type Operation } from '@mgw/contracts';
import { gauges, histogram, traced, type Logger } from '@mgw/telemetry';
import { DebugEvents, Events, type Msg, type NatsConnection, type Subscription } from 'nats';
import { lastValueFrom } from 'rxjs';
import { spanAttributes, type RpcContext } from './context';
import type { Handled } from './handles';
import { overNats, type Incoming } from './incoming';
import type { LocalHandlers } from './local-handlers';

interface RpcServerOptions {
  connection: NatsConnection;
  /** The handlers of this process, if other services run in it. */
  local?: LocalHandlers | undefined;
  /** The queue group: replicas with the same name share the requests. */
  service: string;
  /** Concurrent requests other than reads; further ones are refused with OVERLOADED (guarantees §6). */
  concurrency: number;
  /** Concurrent reads for people; further ones are refused with OVERLOADED. */
  readConcurrency: number;
  /** Bytes of the requests in progress; by default 16 MB. */
  requestBytes?: number | undefined;
  /** Maps an error that is not a defect to the one that the caller receives; null for other errors. */
  explain?: (failure: unknown) => GatewayError | null;
  logger: Logger;
}

/** Bytes of the requests in progress. Most have a kilobyte, a callback of the platform up to 4 MB. Beyond it the server refuses with OVERLOADED. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;
/** A clock that is ahead makes every request late, so the log has one of them, in milliseconds. */
const WARN_LATE_EVERY_MS = 60_000;
/** Pause between two attempts to reach the broker at the start, in milliseconds. */
const SUBSCRIBE_RETRY_MS = 100;

const duration = histogram('mgw_rpc_duration_seconds', 'Duration of requests that this service handled', ['method', 'outcome']);

/** Nest's transport for `@Handles` methods: serves other services with deadlines, bounds and a drain. */
export class RpcServer extends Server implements CustomTransportStrategy {
  private readonly subscriptions: Subscription[] = [];
  private readonly running = { read: 0, other: 0 };
  private runningBytes = 0;
  private longestDeadlineMs = 0;
  private warnedLateAt = -Infinity;
  /** Called when no request is in progress. */
  private finished: (() => void) | undefined;
  private readonly removeGauge: () => void;
  /** A handler sees nothing of its caller's asynchronous context. */
  private readonly own = new AsyncResource('RpcServer');

  constructor(private readonly options: RpcServerOptions) {
    super();
    const { service } = options;
    this.removeGauge = gauges('mgw_rpc_running', 'Requests in progress', 'service_name', async () => ({ [service]: this.total }));
  }

  listen(ready: () => void): void {
    for (const [subject, handler] of this.getHandlers()) {
      const { operation } = handler.extras as { operation: Operation };
      this.longestDeadlineMs = Math.max(this.longestDeadlineMs, operation.deadlineMs);
      const take = (incoming: Incoming) => this.take(operation, handler, incoming);
      const callback = (error: Error | null, message: Msg) => {
        if (error) this.options.logger.error({ err: error, method: subject }, 'subscription failed');
        else take(overNats(message));
      };
      this.subscriptions.push(this.options.connection.subscribe(subject, { queue: this.options.service, callback }));
      this.options.local?.set(subject, (incoming) => this.own.runInAsyncScope(take, undefined, incoming));
    }
    void this.subscribed().then(ready);
  }

  /** Resolves when the broker knows the subscriptions. If the connection breaks meanwhile, the client repeats them on the next one. */
  private async subscribed(): Promise<void> {
    const { connection } = this.options;
    while (!connection.isClosed()) {
      try {
        return await connection.flush();
      } catch {
        await pause(SUBSCRIBE_RETRY_MS);
      }
    }
  }

  /** Accepts no more requests, waits for those in progress up to the longest deadline, and flushes the responses (guarantees §8). */
  async close(): Promise<void> {
    const { local } = this.options;
    this.removeGauge();
    for (const [subject] of this.getHandlers()) local?.delete(subject);
    await Promise.race([this.finish(), pause(this.longestDeadlineMs, undefined, { ref: false })]);
    await Promise.race([this.options.connection.flush().catch(() => undefined), this.disconnected()]);
  }

  /** A slow broker delivers requests until it has ended the subscriptions. A lost one delivers nothing more. */
  private async finish(): Promise<void> {
    const unsubscribed = this.subscriptions.map((subscription) => subscription.drain().catch(() => undefined));
    await Promise.race([Promise.all(unsubscribed), this.disconnected()]);
    await this.idle();
  }

  /** Waits until the connection breaks, or tries to come back. */
  private async disconnected(): Promise<void> {
    for await (const { type } of this.options.connection.status())
      if (type === Events.Disconnect || type === DebugEvents.Reconnecting) return;
  }

  on(): void {
    throw new Error('this transport has no events of its own: watch the connection');
  }

  unwrap<T>(): T {
    return this.options.connection as T;
  }

  private get total(): number {
    return this.running.read + this.running.other;
  }

  private idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.total === 0) resolve();
      else this.finished = resolve;
    });
  }

  private take(operation: Operation, handler: MessageHandler, incoming: Incoming): void {
    const stop = duration.startTimer({ method: operation.subject });
    const { bytes } = incoming;
    const lane = operation.isRead ? 'read' : 'other';
    const { readConcurrency, concurrency, requestBytes = MAX_REQUEST_BYTES } = this.options;
    const most = operation.isRead ? readConcurrency : concurrency;
    if (this.running[lane] >= most || this.runningBytes + bytes > requestBytes) {
      this.refuse(incoming, new GatewayError('OVERLOADED', 'The service is busy, so nothing was done. Try again shortly.'));
      stop({ outcome: 'OVERLOADED' });
      return;
    }
    this.running[lane] += 1;
    this.runningBytes += bytes;
    incoming.begin(() => {
      void this.trace(operation, handler, incoming)
        .then((outcome) => stop({ outcome }))
        .catch((error: unknown) => this.options.logger.error({ err: error, method: operation.subject }, 'sending a response failed'))
        .finally(() => {
          this.running[lane] -= 1;
          this.runningBytes -= bytes;
          if (this.total === 0) this.finished?.();
        });
    });
  }

  private trace(operation: Operation, handler: MessageHandler, incoming: Incoming): Promise<string> {
    const { traceparent: parent } = incoming;
    return traced(operation.subject, { kind: 'server', parent, attributes: spanAttributes(operation) }, async (span) => {
      const outcome = await this.handle(operation, handler, incoming);
      if (outcome !== 'ok') span.fail(outcome);
      return outcome;
    });
  }

  private async handle(operation: Operation, handler: MessageHandler, incoming: Incoming): Promise<string> {
    const context = incoming.context(operation.deadlineMs);
    const handled = await this.run(operation, handler, incoming, context);
    if ('failure' in handled) return this.refuse(incoming, this.asGatewayError(handled.failure, operation, context));
    if (!matches(operation.response, handled.response)) {
      const wrong = new Error(`the response violates the contract: ${mismatch(operation.response, handled.response)}`);
      return this.refuse(incoming, this.asGatewayError(wrong, operation, context));
    }
    try {
      incoming.respond(handled.response);
    } catch (error) {
      // The response is larger than the transport accepts.
      return this.refuse(incoming, this.asGatewayError(error, operation, context));
    }
    return 'ok';
  }

  private async run(operation: Operation, handler: MessageHandler, incoming: Incoming, context: RpcContext): Promise<Handled> {
    const lateMs = Date.now() - context.deadlineAt;
    if (lateMs >= 0) {
      this.warnLate(operation, lateMs);
      return { failure: new GatewayError('OVERLOADED', 'The request came too late, so nothing was done. Try again shortly.') };
    }
    let request: unknown;
    try {
      request = incoming.read();
    } catch {
      return { failure: new GatewayError('VALIDATION_FAILED', 'The request is not JSON.') };
    }
    if (!matches(operation.request, request)) {
      return {
        failure: new GatewayError('VALIDATION_FAILED', `The request violates the contract: ${mismatch(operation.request, request)}`),
      };
    }
    try {
      const stream = this.transformToObservable(await handler(request, context as unknown as BaseRpcContext));
      return (await lastValueFrom(stream)) as Handled;
    } catch (failure) {
      return { failure };
    }
  }

  private warnLate({ subject: method }: Operation, late_ms: number): void {
    if (performance.now() - this.warnedLateAt < WARN_LATE_EVERY_MS) return;
    this.warnedLateAt = performance.now();
    this.options.logger.warn(
      { method, late_ms },
      'a request came after its deadline: the process was too busy, or the clocks of nodes differ',
    );
  }

  /** Passes a GatewayError on. Logs any other error with its stack, which the response never contains. */
  private asGatewayError(failure: unknown, operation: Operation, { requestId }: RpcContext): GatewayError {
    if (failure instanceof GatewayError) return failure;
    this.options.logger.error({ err: failure, method: operation.subject, request_id: requestId }, 'request failed');
    return this.options.explain?.(failure) ?? new GatewayError('INTERNAL', 'Something went wrong on our side.');
  }

  private refuse(incoming: Incoming, error: GatewayError): string {
    incoming.refuse(error);
    return error.error_code;
  }
}
