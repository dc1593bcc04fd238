import { Type, type Static } from '@sinclair/typebox';
import { characters, Id, IsoTime, Nullable, Recipient } from './fields';
import { operation } from './operation';
import { NextCursor } from './paging';

/** The services that store what people write and receive, publishers before their consumers: an erasure visits them in this order. */
export const PEOPLE_SERVICES = [
  'platform-webhook-ingest',
  'send',
  'status',
  'broadcast',
  'auto-reply',
  'outbound-webhook-dispatcher',
] as const;
export type PeopleService = (typeof PEOPLE_SERVICES)[number];

/** When a person had a name, because numbers pass to other people. Null for an open beginning or end. */
const NamePeriod = Type.Object({ name: Recipient, since: Nullable(IsoTime), until: Nullable(IsoTime) });

/** A person of a business, by all names and conversations that the send service knows. */
const KNOWN = {
  /** The current names. */
  names: Type.Array(Recipient, { minItems: 1 }),
  conversation_ids: Type.Array(Id),
  /** Current and former names. Absent in requests of the previous version: the person always had the current names. */
  name_periods: Type.Optional(Type.Array(NamePeriod)),
};

export const PersonRef = Type.Object({ business_id: Id, ...KNOWN });
export type PersonRef = Static<typeof PersonRef>;

/** Secret: ids and opt-outs that stay become hashes with it. */
const HashKey = Type.String({ minLength: 32 });

/** Finds the names and conversations of a person; an unknown person has the requested name only. */
export const FindPerson = operation('send', 'find-person', {
  isRead: true,
  request: Type.Object({ business_id: Id, phone: Recipient }),
  response: Type.Object(KNOWN),
});

/** Finds the person of an erasure, and the key of the hashes that it leaves, which the business gets with its first erasure. */
export const PrepareErasure = operation('send', 'prepare-erasure', {
  request: Type.Object({ business_id: Id, phone: Recipient }),
  response: Type.Object({ ...KNOWN, hash_key: HashKey }),
});

const Cursor = Nullable(characters(2_000));

/** A page of what a service stores about a person, about 64 k characters. */
export const exportPerson = (service: PeopleService) =>
  operation(service, 'export-person', {
    isRead: true,
    request: Type.Object({ ...PersonRef.properties, cursor: Cursor }),
    response: Type.Object({ rows: Type.Array(Type.Record(Type.String(), Type.Unknown())), next_cursor: NextCursor }),
  });

/**
 * A step of an erasure. A repeat is harmless. `found` counts what the step erased, and what it has to leave until work in progress ends:
 * the person is erased once all steps find nothing. A cursor of a version with other steps starts over, and counts as found.
 */
export const erasePerson = (service: PeopleService) =>
  operation(service, 'erase-person', {
    request: Type.Object({
      ...PersonRef.properties,
      hash_key: HashKey,
      /** The person's names may belong to others afterwards (decision 730). Absent in requests of the previous version. */
      requested_at: Type.Optional(IsoTime),
      cursor: Cursor,
    }),
    response: Type.Object({ found: Type.Integer(), next_cursor: NextCursor }),
    deadlineMs: 20_000,
  });
