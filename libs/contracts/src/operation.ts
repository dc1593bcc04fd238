import type { Static, TSchema } from '@sinclair/typebox';
import type { ErrorCode } from './errors';

/** A request that a service handles: the schemas of request and response, its errors and its deadline. */
export interface Operation<Req extends TSchema = TSchema, Res extends TSchema = TSchema> {
  /** NATS subject, `rpc.<service>.<verb>`; the service's name is also its queue group. */
  readonly subject: string;
  readonly service: string;
  readonly request: Req;
  readonly response: Res;
  /** Its errors, in addition to VALIDATION_FAILED, OVERLOADED, DEADLINE_EXCEEDED and INTERNAL of any operation, and QUERY_TIMEOUT of reads. */
  readonly errors: readonly ErrorCode[];
  /** Deadline for callers without one of their own, in milliseconds. */
  readonly deadlineMs: number;
  /** A read for people at the dashboard; services bound these separately (guarantees §10, N2). */
  readonly isRead: boolean;
}

export type RequestOf<O extends Operation> = Static<O['request']>;
export type ResponseOf<O extends Operation> = Static<O['response']>;

export function operation<Req extends TSchema, Res extends TSchema>(
  service: string,
  verb: string,
  shape: { request: Req; response: Res; errors?: readonly ErrorCode[]; deadlineMs?: number; isRead?: boolean },
): Operation<Req, Res> {
  return {
    subject: `rpc.${service}.${verb}`,
    service,
    request: shape.request,
    response: shape.response,
    errors: shape.errors ?? [],
    deadlineMs: shape.deadlineMs ?? 5_000,
    isRead: shape.isRead ?? false,
  };
}
