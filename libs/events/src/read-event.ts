import { Type } from '@sinclair/typebox';
import { eventTypeOn, matches, mismatch, type EventEnvelope } from '@mgw/contracts';

const Envelope = Type.Object({
  id: Type.String({ minLength: 1 }),
  type: Type.String(),
  at: Type.String(),
  business_id: Type.Integer(),
  key: Type.String(),
  data: Type.Unknown(),
});

/** Reads what came on a subject. @returns the event, or why this version does not understand it */
export function readEvent(subject: string, bytes: Uint8Array): { event: EventEnvelope } | { reason: string } {
  const type = eventTypeOn(subject);
  if (!type) return { reason: `unknown type of event: ${subject}` };
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return { reason: 'not JSON' };
  }
  if (!matches(Envelope, value)) return { reason: `not an event: ${mismatch(Envelope, value)}` };
  if (!matches(type.data, value.data)) return { reason: `data not as agreed: ${mismatch(type.data, value.data)}` };
  const { facts } = value as { facts?: unknown };
  if (type.facts && !matches(type.facts, facts)) return { reason: `facts not as agreed: ${mismatch(type.facts, facts)}` };
  return { event: value as EventEnvelope };
}
