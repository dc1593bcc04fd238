import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  GatewayError,
  matches,
  mismatch,
  type AnnouncedData,
  type Announcement,
  type Operation,
  type ResponseOf,
  type RequestOf,
  type WireError,
} from '@mgw/contracts';
import { histogram, traced, type Logger, type Span } from '@mgw/telemetry';
import type { Msg, NatsConnection } from 'nats';
import { ERROR_HEADER, spanAttributes, toHeaders, type RpcContext } from './context';
import { callHere, type LocalHandlers } from './local-handlers';
import { Requests } from './requests';

const duration = histogram('mgw_rpc_client_duration_seconds', 'Duration of requests to other services', ['method', 'outcome']);

/** Calls other services. Every call ends by its deadline and throws only GatewayError. */
@Injectable()
export class RpcClient {
  private readonly requests: Requests;

  constructor(
    private readonly connection: NatsConnection,
    private readonly logger: Logger,
    /** The handlers of this process, if other services run in it. */
    private readonly local?: LocalHandlers,
  ) {
    this.requests = new Requests(connection);
  }

  /**
   * @param context passes the caller's deadline and request id on; by default the operation's deadline counts from now
   * @throws GatewayError the service's own error; OVERLOADED if no service received the request, so nothing was done; DEADLINE_EXCEEDED or
   * REPLY_LOST if it may have been done
   */
  async call<O extends Operation>(operation: O, request: RequestOf<O>, context: Partial<RpcContext> = {}): Promise<ResponseOf<O>> {
    const stop = duration.startTimer({ method: operation.subject });
    try {
      const whole = { requestId: randomUUID(), deadlineAt: Date.now() + operation.deadlineMs, ...context };
      const response = await traced(operation.subject, { kind: 'client', attributes: spanAttributes(operation) }, (span) =>
        this.exchange(operation, request, whole, span),
      );
      stop({ outcome: 'ok' });
      return response;
    } catch (error) {
      const known = error instanceof GatewayError ? error : new GatewayError('INTERNAL', 'The request failed.');
      if (known !== error) this.logger.error({ err: error, method: operation.subject }, 'request failed');
      stop({ outcome: known.error_code });
      throw known;
    }
  }

  /** Sends a hint to every replica of every service, without a response. It may be lost. */
  announce<A extends Announcement>(announcement: A, data: AnnouncedData<A>): void {
    if (this.requests.connected) this.connection.publish(announcement.subject, JSON.stringify(data));
  }

  /** Listens while the connection is open. @returns a function that ends it earlier */
  listen<A extends Announcement>(announcement: A, onData: (data: AnnouncedData<A>) => void): () => void {
    const subscription = this.connection.subscribe(announcement.subject, {
      callback: (error, message) => {
        const data: unknown = error ? undefined : parsed(message);
        if (matches(announcement.data, data)) onData(data as AnnouncedData<A>);
      },
    });
    return () => subscription.unsubscribe();
  }

  private async exchange<O extends Operation>(
    operation: O,
    request: RequestOf<O>,
    context: RpcContext,
    span: Span,
  ): Promise<ResponseOf<O>> {
    if (!matches(operation.request, request))
      throw new Error(`${operation.subject}: the request violates the contract: ${mismatch(operation.request, request)}`);
    if (context.deadlineAt <= Date.now()) throw new GatewayError('DEADLINE_EXCEEDED', 'The deadline passed before the request was sent.');
    const body = await this.transmit(operation, request, context, span.traceparent);
    if (!matches(operation.response, body))
      throw new Error(`${operation.subject}: the response violates the contract: ${mismatch(operation.response, body)}`);
    return body;
  }

  /** Calls a handler of this process directly, and every other one over NATS. @returns the response as JSON would bring it */
  private async transmit(operation: Operation, request: unknown, context: RpcContext, traceparent: string | undefined): Promise<unknown> {
    const handler = this.local?.find(operation.subject);
    if (handler) return callHere(handler, request, context, traceparent);
    if (!this.requests.connected)
      throw new GatewayError('OVERLOADED', 'The service is not reachable, so nothing was done. Try again shortly.');
    const left = context.deadlineAt - Date.now();
    const message = await this.requests.send(operation, JSON.stringify(request), toHeaders(context, traceparent), left);
    const body = parsed(message);
    if (message.headers?.has(ERROR_HEADER)) throw GatewayError.fromWire(body as WireError);
    return body;
  }
}

function parsed(message: Msg): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
