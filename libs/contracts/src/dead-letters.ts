import { Type, type Static } from '@sinclair/typebox';
import { Id, IsoTime, Nullable } from './fields';
import { operation } from './operation';
import type { ServiceName } from './service-metrics';

/** An event or update that a service set aside. Its id is unique within the service. */
export const DeadLetterRecord = Type.Object({
  id: Id,
  at: IsoTime,
  consumer: Type.String(),
  subject: Type.String({ description: 'The subject of the event, or the field of a callback.' }),
  event_id: Nullable(Type.String()),
  business: Nullable(Type.String({ description: 'The id of its business, or several; null when none is known.' })),
  tries: Type.Integer(),
  reason: Type.String(),
  replay_requested: Type.Boolean({ description: 'A replay was requested and has not happened yet.' }),
});
export type DeadLetterRecord = Static<typeof DeadLetterRecord>;

/** The oldest dead letters of a service, at most 100, and how many there are. */
export const listDeadLetters = (service: ServiceName) =>
  operation(service, 'list-dead-letters', {
    request: Type.Object({}),
    response: Type.Object({ letters: Type.Array(DeadLetterRecord), total: Type.Integer() }),
    deadlineMs: 2_000,
    isRead: true,
  });

/** The body of a dead letter; null for an unknown id. */
export const getDeadLetter = (service: ServiceName) =>
  operation(service, 'get-dead-letter', {
    request: Type.Object({ id: Id }),
    response: Type.Object({ body: Nullable(Type.String()) }),
    isRead: true,
  });

/** Requests a replay, which the service's consumers make between their events. */
export const replayDeadLetter = (service: ServiceName) =>
  operation(service, 'replay-dead-letter', { request: Type.Object({ id: Id }), response: Type.Object({ found: Type.Boolean() }) });

export const discardDeadLetter = (service: ServiceName) =>
  operation(service, 'discard-dead-letter', { request: Type.Object({ id: Id }), response: Type.Object({ found: Type.Boolean() }) });
