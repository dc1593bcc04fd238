import type { EventEnvelope } from '@mgw/contracts';

/**
 * A callback up to this size is split before it is stored, and its events commit with it. A larger one is stored first, so that a crash
 * leaves a mark; without events and dead letters it keeps no body (decision 740).
 */
export const LARGE_BYTES = 64 * 1024;

export interface StoredCallback {
  id: string;
  body: Buffer;
  /** The businesses with the app secret that signed it. */
  businesses: number[];
  traceparent: string | null;
}

/** The bytes of a callback and the businesses with the app secret that signed them. */
export type SignedBody = Pick<StoredCallback, 'body' | 'businesses'>;

/** The content of a callback. */
export interface Updates {
  events: EventEnvelope[];
  invalid: InvalidUpdate[];
  /** Counted, with no other effect. */
  ignored: { unknown_number: number; group: number };
}

/** An update that the splitter refuses, with the reason. */
export interface InvalidUpdate {
  field: string;
  /** A callback with this update only. */
  body: string;
  /** The businesses with the app secret that signed it. */
  businesses: number[];
  reason: string;
}

/** The whole callback as one dead letter. PostgreSQL's text cannot hold NUL, and no JSON has it. */
export function wholeDeadLetter({ body, businesses }: SignedBody, { message }: Error): InvalidUpdate {
  return { field: '(all)', body: body.toString('utf8').replaceAll('\0', ''), businesses, reason: message };
}
