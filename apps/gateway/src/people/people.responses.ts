import { Type, type Static } from '@sinclair/typebox';
import { Id, IsoTime, Nullable, PEOPLE_SERVICES } from '@mgw/contracts';

export const Erasure = Type.Object({
  id: Id,
  contact: Type.String({ description: 'The last four digits of the number.' }),
  reason: Type.String(),
  requested_at: IsoTime,
  requested_by: Nullable(Type.Object({ id: Id, name: Type.String(), email: Type.String() })),
  state: Type.Union([Type.Literal('running'), Type.Literal('done')], {
    description:
      '`done`: no service finds anything about the person. Copies of events that were published twice stay in NATS for up to 72 hours; no API returns them.',
  }),
  confirmed: Type.Array(Type.Union(PEOPLE_SERVICES.map((service) => Type.Literal(service))), {
    description:
      'The services that hold nothing about the person any more. With all of them, the erasure waits until the stored files are deleted.',
  }),
  completed_at: Nullable(IsoTime),
});
export type Erasure = Static<typeof Erasure>;

export const ErasuresResponse = Type.Object({ erasures: Type.Array(Erasure), next_cursor: Nullable(Type.String()) }, { title: 'Erasures' });

export const PersonExport = Type.String({
  title: 'PersonExport',
  description:
    'A JSON object in each line, with its `kind`: ' +
    'conversation, opt_out, note, message_received, message_sent, message_sent_details, file, status, broadcast or automatic_reply. ' +
    '`message_sent_details` has the content of a sent message beyond its text, such as a location, contacts, buttons, a reaction, the file or ' +
    'the quoted message. `file` is a stored file that the person sent, or an upload that the person was sent.',
});
