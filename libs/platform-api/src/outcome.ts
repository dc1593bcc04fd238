import type { Refusal } from './refusal';

/** The outcome of a send, as far as the gateway can know (guarantees §1, S2). */
export type SendOutcome =
  /** The platform accepted it; `waId` is the number that it will write to, which may differ from the recipient (platform §0.11). */
  | { kind: 'accepted'; messageId: string; waId: string | null; userId: string | null; messageStatus: string | null }
  /** The platform certainly refused it, with a reason. */
  | { kind: 'refused'; refusal: Refusal }
  /** No byte was written: connection refused, no address, TLS failure, or the deadline passed while it waited for a connection. */
  | { kind: 'unreached'; problem: string }
  /** Bytes were written and no clear response arrived: never send it again. */
  | { kind: 'unknown'; problem: string };

/** The outcome of a read, which may always be repeated. */
export type ReadOutcome<T> = { kind: 'ok'; value: T } | { kind: 'refused'; refusal: Refusal } | { kind: 'unavailable'; problem: string };
