import type { Static, TSchema } from '@sinclair/typebox';

/** JetStream streams. Outboxes publish to them; messages expire by age. */
export const STREAMS = {
  /** Reports of the platform: one event per message, status, template or account update. */
  PLATFORM: { subjects: 'platform.>' },
  /** Facts of the send service that other services need. */
  SENDING: { subjects: 'sending.>' },
  /** The events of spec §6 and the additional ones, as customers' servers receive them. */
  PUBLIC: { subjects: 'public.>' },
} as const;
export type StreamName = keyof typeof STREAMS;

/** A type of event and the schema of its data. */
export interface EventType<Data extends TSchema = TSchema, Facts extends TSchema = TSchema> {
  readonly stream: StreamName;
  /** The event's name, for example `message.sent`. */
  readonly type: string;
  /** NATS subject: the stream's prefix and the name. */
  readonly subject: string;
  readonly data: Data;
  /** Schema of fields for other services, which customers never see. */
  readonly facts?: Facts;
}
export type DataOf<E extends EventType> = Static<E['data']>;
type FactsOf<E extends EventType> = E extends EventType<TSchema, infer Facts> ? Static<Facts> : never;

const declared = new Map<string, EventType>();

export function eventType<Data extends TSchema, Facts extends TSchema = TSchema>(
  stream: StreamName,
  type: string,
  data: Data,
  facts?: Facts,
): EventType<Data, Facts> {
  const subject = `${STREAMS[stream].subjects.slice(0, -2)}.${type}`;
  const made: EventType<Data, Facts> = { stream, type, subject, data, ...(facts && { facts }) };
  declared.set(made.subject, made);
  return made;
}

/** The event type of a subject; undefined for one that this version does not know. */
export function eventTypeOn(subject: string): EventType | undefined {
  return declared.get(subject);
}

/** An event as it is published: JSON, the same bytes each time. */
export interface EventEnvelope<E extends EventType = EventType> {
  /** Identifies the fact, so it is the same each time the event is published: for example `message.sent:wamid.X`. */
  readonly id: string;
  readonly type: E['type'];
  /** When it happened, `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly at: string;
  readonly business_id: number;
  /** Events with the same key are handled in order, for example `conversation:12`. */
  readonly key: string;
  readonly data: DataOf<E>;
  /** Follows the `facts` schema of the type. */
  readonly facts?: FactsOf<E>;
}

/** @throws Error when the event has no facts; consumers set such an event aside before it reaches a handler */
export function factsOf<E extends EventType>(event: EventEnvelope<E>): FactsOf<E> {
  if (event.facts === undefined) throw new Error(`${event.type} ${event.id} has no facts`);
  return event.facts;
}
