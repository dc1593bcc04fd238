import { randomUUID } from 'node:crypto';
import type { Operation } from '@mgw/contracts';
import { TRACE_HEADER } from '@mgw/telemetry';
import { headers, type MsgHdrs } from 'nats';

/** Travels with a request, and with every further request that serves it. */
export interface RpcContext {
  readonly requestId: string;
  /** When the caller stops waiting, in milliseconds since the epoch. No work begins after it (guarantees §1, S6). */
  readonly deadlineAt: number;
}

/** Header of a response that carries a WireError. */
export const ERROR_HEADER = 'error';

export function toHeaders(context: RpcContext, traceparent?: string): MsgHdrs {
  const out = headers();
  out.set('request-id', context.requestId);
  out.set('deadline', String(context.deadlineAt));
  if (traceparent !== undefined) out.set(TRACE_HEADER, traceparent);
  return out;
}

/** A request without a valid deadline gets the operation's own from now on. */
export function fromHeaders(received: MsgHdrs | undefined, deadlineMs: number): RpcContext {
  const deadlineAt = Number(received?.get('deadline') || NaN);
  return {
    requestId: received?.get('request-id') || randomUUID(),
    deadlineAt: Number.isFinite(deadlineAt) ? deadlineAt : Date.now() + deadlineMs,
  };
}

/** Attributes of a call's span on both sides. */
export function spanAttributes({ subject }: Operation): Record<string, string> {
  return { 'rpc.system.name': 'nats', 'rpc.method': subject };
}
