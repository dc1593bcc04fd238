import type { Static, TSchema } from '@sinclair/typebox';
import type { ErrorCode } from './errors';

/** One request a service answers: what is asked, what comes back, what can go wrong, and how long it may take. */
export interface Operation<Req extends TSchema = TSchema, Rep extends TSchema = TSchema> {
  /** NATS subject, `rpc.<service>.<verb>`; the service's name is also its queue group. */
  readonly subject: string;
  readonly service: string;
  readonly request: Req;
  readonly reply: Rep;
  /** Errors it answers beside VALIDATION_FAILED, OVERLOADED, DEADLINE_EXCEEDED and INTERNAL, which any operation may, and QUERY_TIMEOUT, which a read may. */
  readonly errors: readonly ErrorCode[];
  /** How long a caller that has no deadline of its own waits, in milliseconds. */
  readonly deadlineMs: number;
  /** A read for people at the dashboard: a service bounds these apart from all others (guarantees §10, N2). */
  readonly isRead: boolean;
}

export type RequestOf<O extends Operation> = Static<O['request']>;
export type ReplyOf<O extends Operation> = Static<O['reply']>;

export function operation<Req extends TSchema, Rep extends TSchema>(
  service: string,
  verb: string,
  shape: { request: Req; reply: Rep; errors?: readonly ErrorCode[]; deadlineMs?: number; isRead?: boolean },
): Operation<Req, Rep> {
  return {
    subject: `rpc.${service}.${verb}`,
    service,
    request: shape.request,
    reply: shape.reply,
    errors: shape.errors ?? [],
    deadlineMs: shape.deadlineMs ?? 5_000,
    isRead: shape.isRead ?? false,
  };
}
