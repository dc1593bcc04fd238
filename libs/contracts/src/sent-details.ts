import { Type, type Static } from '@sinclair/typebox';
import { inboundDetails } from './inbound-details';
import { InteractiveContent } from './message-content';

/** Members that only some sent messages have, besides those that customers' messages have too. */
export const sentDetails = {
  offer: Type.Optional({
    ...InteractiveContent,
    description: 'The buttons, list or link that the customer sees.',
  } as typeof InteractiveContent),
  media_url: Type.Optional(Type.String({ description: 'The address of a sent file.' })),
  media_id: Type.Optional(Type.String({ description: 'The id of a sent file, for `/api/client/media/{media_id}`.' })),
};

const { context, location, contacts, reaction, filename, voice } = inboundDetails;

/** The content of a sent message in addition to its text, as its thread shows it. */
export const SentDetails = Type.Object({ context, location, contacts, reaction, filename, voice, ...sentDetails });
export type SentDetails = Static<typeof SentDetails>;
