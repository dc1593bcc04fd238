import { randomUUID } from 'node:crypto';
import type { Operation } from '@mgw/contracts';
import { headers, type MsgHdrs } from 'nats';

/** What travels beside a request and is handed on to whatever is asked for its sake. */
export interface RpcContext {
  readonly requestId: string;
  /** When the caller stops waiting, in milliseconds since the epoch. Nothing is begun after it (guarantees §1 S6). */
  readonly deadlineAt: number;
}

/** What a handler is given beside the request. */
export class HandlerContext implements RpcContext {
  /** The service stops, and the handler has to come to its end at once. */
  interrupted = false;
  private listener: (() => void) | undefined;

  constructor(
    readonly requestId: string,
    readonly deadlineAt: number,
  ) {}

  /** @param listener told then, in place of the one before; an AbortSignal for each request costs more than all else here */
  onInterrupt(listener: (() => void) | undefined): void {
    this.listener = listener;
  }

  interrupt(): void {
    this.interrupted = true;
    this.listener?.();
  }
}

/** Marks a reply that carries a WireError. */
export const ERROR_HEADER = 'error';

/** W3C trace context, when the caller traces. */
export const TRACE_HEADER = 'traceparent';

export function toHeaders(context: RpcContext, traceparent?: string): MsgHdrs {
  const out = headers();
  out.set('request-id', context.requestId);
  out.set('deadline', String(context.deadlineAt));
  if (traceparent !== undefined) out.set(TRACE_HEADER, traceparent);
  return out;
}

/** A request without a readable deadline gets the operation's own from now on. */
export function fromHeaders(received: MsgHdrs | undefined, deadlineMs: number): HandlerContext {
  const deadlineAt = Number(received?.get('deadline') || NaN);
  return new HandlerContext(
    received?.get('request-id') || randomUUID(),
    Number.isFinite(deadlineAt) ? deadlineAt : Date.now() + deadlineMs,
  );
}

/** What both sides say of a call in its trace. */
export function spanAttributes({ subject }: Operation): Record<string, string> {
  return { 'rpc.system.name': 'nats', 'rpc.method': subject };
}
