import { Type } from '@sinclair/typebox';
import { eventTypeOn, matches, mismatch, type EventEnvelope, type EventType } from '@mgw/contracts';

const Envelope = Type.Object({
  id: Type.String({ minLength: 1 }),
  type: Type.String(),
  at: Type.String(),
  business_id: Type.Integer(),
  key: Type.String(),
  data: Type.Unknown(),
});

/** An event, or the reason why this version does not understand it, with its text. */
export type ReadResult = { event: EventEnvelope } | { reason: string; body: string };

/** Reads a message: an event or an array of events. @returns at least one result */
export function readEvents(subject: string, bytes: Uint8Array): ReadResult[] {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return [{ reason: 'not JSON', body }];
  }
  if (!Array.isArray(value)) return [readEvent(subject, value)];
  return value.length === 0 ? [{ reason: 'not an event', body }] : value.map((one) => readEvent(subject, one));
}

function readEvent(subject: string, value: unknown): ReadResult {
  const type = eventTypeOn(subject);
  const reason = type ? mismatchOf(type, value) : `unknown type of event: ${subject}`;
  return reason === undefined ? { event: value as EventEnvelope } : { reason, body: JSON.stringify(value) };
}

function mismatchOf(type: EventType, value: unknown): string | undefined {
  if (!matches(Envelope, value)) return `not an event: ${mismatch(Envelope, value)}`;
  if (!matches(type.data, value.data)) return `data violates its contract: ${mismatch(type.data, value.data)}`;
  const { facts } = value as { facts?: unknown };
  if (type.facts && !matches(type.facts, facts)) return `facts violate their contract: ${mismatch(type.facts, facts)}`;
  return undefined;
}
