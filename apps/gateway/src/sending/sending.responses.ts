import { Type, type TProperties, type TSchema } from '@sinclair/typebox';
import { CheckSend, described, MessageId, Nullable } from '@mgw/contracts';

/** A schema of spec §2.2: the members of every send result, and those of one endpoint. */
export function sendResultWith<P extends TProperties>(title: string, members: P) {
  const shared = {
    success: Type.Literal(true),
    message_id: described(MessageId, 'WhatsApp’s id of the message, which events and GET /message-status/{message_id} have too.'),
    phone: Type.String({ description: 'Digits with country code, or the business-scoped user id of the request.' }),
    delivery_status: Type.Literal('queued', { description: 'Accepted by WhatsApp, which is not delivery.' }),
    note: Type.String({ description: 'The same for people.' }),
  };
  return Type.Object({ ...shared, ...members }, { title });
}

export const SendResult = sendResultWith('SendResult', {});

const { problems, ...checked } = CheckSend.response.properties;
const { message: error, ...problem } = problems.items.properties;

/** The result of a send with `dry_run`: what would refuse the message, and what the gateway knows of the recipient. */
const DryRunResult = Type.Object(
  {
    success: Type.Literal(true),
    dry_run: Type.Literal(true, { description: 'Nothing was sent.' }),
    would_send: Type.Boolean({ description: 'True if nothing refuses the message; WhatsApp may still.' }),
    problems: Type.Array(Type.Object({ ...problem, error }), { description: 'Every problem, with the error that a send would get.' }),
    phone: Nullable(Type.String({ description: 'Null if the phone is invalid.' })),
    template: Type.Optional(Type.String({ description: 'The template of the request.' })),
    ...checked,
  },
  { title: 'DryRunResult' },
);

/** The response of an endpoint that takes `dry_run`. */
export const orDryRun = <S extends TSchema>(result: S) => Type.Union([result, DryRunResult]);
