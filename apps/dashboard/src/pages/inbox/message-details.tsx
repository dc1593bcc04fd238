import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ContactCards } from './contact-cards';
import { FlowAnswers } from './flow-answers';
import { fileOf, MessageFile } from './message-file';
import { Order } from './order';
import { Place } from './place';
import { Quote } from './quote';
import { shownText, type ThreadMessage } from './thread-message';

/**
 * Everything of a message that its bubble shows above the text, and the text: a label if nothing else shows the content.
 * @param messages all messages that are loaded, for the quote
 */
export function messageDetails(message: ThreadMessage, messages: ThreadMessage[], customer: string): { details: ReactNode; text: string } {
  const { context, location, contacts, order, interactive, reaction, referral, errors, offer, details_truncated } = message;
  const file = fileOf(message);
  const quotes = context?.message_id;
  const origin = [
    quotes !== undefined && <Quote key="quote" quoted={messages.find(({ message_id }) => message_id === quotes)} customer={customer} />,
    referral && <Line key="referral">Came from {referral.headline ?? referral.source_url ?? 'an ad'}</Line>,
  ].filter(Boolean);
  const content = [
    location && <Place key="place" {...location} />,
    contacts && <ContactCards key="cards" contacts={contacts} />,
    order && <Order key="order" order={order} />,
    interactive?.type === 'nfm_reply' && <FlowAnswers key="flow" {...interactive} />,
    reaction && (
      <Line key="reaction">{reaction.emoji === null ? 'Removed a reaction' : `Reacted ${reaction.emoji} to an earlier message`}</Line>
    ),
    file && <MessageFile key="file" {...file} />,
    offer?.header?.text && (
      <Text key="header" size="sm" fw={650} dir="auto">
        {offer.header.text}
      </Text>
    ),
    errors && <Line key="errors">WhatsApp could not deliver this content: {errors.map(({ title }) => title).join(', ')}</Line>,
    details_truncated && <Line key="truncated">Parts of this message are too large to show.</Line>,
  ].filter(Boolean);
  const details = [...origin, ...content];
  return { details: details.length > 0 ? details : null, text: content.length > 0 ? message.text : message.text || shownText(message) };
}

function Line({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" dir="auto" style={{ opacity: 0.85 }}>
      {children}
    </Text>
  );
}
