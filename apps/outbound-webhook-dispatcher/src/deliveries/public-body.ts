import type { EventEnvelope } from '@mgw/contracts';

/** What a customer's server gets (spec §6.1). Made once: the bytes that are signed are the bytes that are sent, also when they are sent again. */
export function publicBody({ type, at, data }: EventEnvelope): string {
  return JSON.stringify({ event: type, timestamp: at, data });
}
