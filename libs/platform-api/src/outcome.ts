import type { Refusal } from './refusal';

/** How a send ended, as far as this side can know (guarantees §1, S2). */
export type SendOutcome =
  /** The platform took it; `waId` is the number it will really write to, which may differ from the one dialled (platform §0.11). */
  | { kind: 'accepted'; messageId: string; waId: string | null; userId: string | null; messageStatus: string | null }
  /** The platform definitely did not take it, and said why. */
  | { kind: 'refused'; refusal: Refusal }
  /** Not one byte of it was written: connection refused, no address, TLS failure, or the deadline passed while waiting for a connection. */
  | { kind: 'unreached'; problem: string }
  /** Something was written and no definite answer came back: never send it again. */
  | { kind: 'unknown'; problem: string };

/** How a read ended. A read may be repeated whatever happened. */
export type ReadOutcome<T> = { kind: 'ok'; value: T } | { kind: 'refused'; refusal: Refusal } | { kind: 'unavailable'; problem: string };
