import type { Static, TSchema } from '@sinclair/typebox';

/** JetStream streams; each is fed by outboxes and kept until its age or size bound. */
export const STREAMS = {
  /** What the platform reported: one event per message, status, template or account update. */
  PLATFORM: { subjects: 'platform.>' },
  /** Facts of the sending side that neighbours need. */
  SENDING: { subjects: 'sending.>' },
  /** The five events of spec §6, as customers' servers receive them. */
  PUBLIC: { subjects: 'public.>' },
} as const;
export type StreamName = keyof typeof STREAMS;

/** A fact that services tell each other, and what its data looks like. */
export interface EventType<Data extends TSchema = TSchema, Facts extends TSchema = TSchema> {
  readonly stream: StreamName;
  /** The event's name, for example `message.sent`. */
  readonly type: string;
  /** NATS subject: the stream's prefix and the name. */
  readonly subject: string;
  readonly data: Data;
  /** What neighbours learn beside the data, and customers never see. */
  readonly facts?: Facts;
}
export type DataOf<E extends EventType> = Static<E['data']>;
export type FactsOf<E extends EventType> = E extends EventType<TSchema, infer Facts> ? Static<Facts> : never;

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

/** The type that travels on a subject; undefined for one that this version does not know. */
export function eventTypeOn(subject: string): EventType | undefined {
  return declared.get(subject);
}

/** One fact as it travels: JSON, the same bytes on every repeat. */
export interface EventEnvelope<E extends EventType = EventType> {
  /** Unique for the fact, not for the attempt to tell it, for example `message.sent:wamid.X`. */
  readonly id: string;
  readonly type: E['type'];
  /** When it happened, `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly at: string;
  readonly business_id: number;
  /** Events with the same key are handled in order, for example `conversation:12`. */
  readonly key: string;
  readonly data: DataOf<E>;
  /** As the type's own schema says. */
  readonly facts?: FactsOf<E>;
}

/** @throws Error when the event has no facts; consumers set such an event aside before it reaches a handler */
export function factsOf<E extends EventType>(event: EventEnvelope<E>): FactsOf<E> {
  if (event.facts === undefined) throw new Error(`${event.type} ${event.id} has no facts`);
  return event.facts;
}
