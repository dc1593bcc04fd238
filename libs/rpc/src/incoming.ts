import type { GatewayError } from '@mgw/contracts';
import { TRACE_HEADER } from '@mgw/telemetry';
import { headers, type Msg } from 'nats';
import { ERROR_HEADER, fromHeaders, type RpcContext } from './context';

/** A request as a server receives it, whichever transport brought it. */
export interface Incoming {
  readonly bytes: number;
  /** W3C trace context, if the caller traces. */
  readonly traceparent: string | null;
  context(deadlineMs: number): RpcContext;
  /** Runs the handler outside of the caller's code. */
  begin(work: () => void): void;
  /** @throws Error if the request is not JSON */
  read(): unknown;
  /** @throws Error if the response is larger than the transport accepts */
  respond(response: unknown): void;
  refuse(error: GatewayError): void;
}

export function overNats(message: Msg): Incoming {
  return {
    bytes: message.data.length,
    traceparent: message.headers?.get(TRACE_HEADER) || null,
    context: (deadlineMs) => fromHeaders(message.headers, deadlineMs),
    begin: (work) => work(),
    read: () => message.json(),
    respond: (response) => void message.respond(JSON.stringify(response)),
    refuse: (error) => {
      const marked = headers();
      marked.set(ERROR_HEADER, '1');
      message.respond(JSON.stringify(error.toWire()), { headers: marked });
    },
  };
}
