import { randomUUID } from 'node:crypto';
import { headers, type MsgHdrs } from 'nats';

/** What travels beside a request and is handed on to whatever is asked for its sake. */
export interface RpcContext {
  readonly requestId: string;
  /** When the caller stops waiting, in milliseconds since the epoch. Nothing is begun after it (guarantees §1 S6). */
  readonly deadlineAt: number;
  /** W3C trace context, when the caller traces. */
  readonly traceparent?: string;
}

/** Marks a reply that carries a WireError. */
export const ERROR_HEADER = 'error';

export function toHeaders(context: RpcContext): MsgHdrs {
  const out = headers();
  out.set('request-id', context.requestId);
  out.set('deadline', String(context.deadlineAt));
  if (context.traceparent) out.set('traceparent', context.traceparent);
  return out;
}

/** A request without a readable deadline gets the operation's own from now on. */
export function fromHeaders(received: MsgHdrs | undefined, deadlineMs: number): RpcContext {
  const deadlineAt = Number(received?.get('deadline') || NaN);
  const traceparent = received?.get('traceparent');
  return {
    requestId: received?.get('request-id') || randomUUID(),
    deadlineAt: Number.isFinite(deadlineAt) ? deadlineAt : Date.now() + deadlineMs,
    ...(traceparent ? { traceparent } : {}),
  };
}
