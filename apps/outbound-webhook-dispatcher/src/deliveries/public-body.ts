import type { EventEnvelope } from '@mgw/contracts';
import { PermanentFailure } from '@mgw/events';

/** Bytes of one body at most. The largest that the services publish have some 40 kB. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * The body of a delivery (spec §6.1). It is made once: every attempt signs and sends the same bytes.
 * @throws PermanentFailure when it is too large: the event goes to the dead letters
 */
export function publicBody({ type, at, data }: EventEnvelope): string {
  const body = JSON.stringify({ event: type, timestamp: at, data });
  const bytes = Buffer.byteLength(body);
  if (bytes > MAX_BODY_BYTES) throw new PermanentFailure(`the event has ${bytes} bytes; a webhook takes at most ${MAX_BODY_BYTES}`);
  return body;
}
