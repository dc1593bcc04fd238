import { Anchor, Box, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyIcon } from '../../components/copy-icon';
import { cardsOf, itemsOf } from './untyped-details';
import { shownText, type ThreadMessage } from './thread-message';

/** Everything of a message that its bubble shows above the text, and the text: a label such as `[image]` if nothing else shows the content. */
export function messageDetails(message: ThreadMessage, messages: ThreadMessage[]): { details: ReactNode; text: string } {
  const { context, location, contacts, order, interactive, reaction, referral, errors, filename, media, details_truncated } = message;
  const origin = [
    context?.message_id !== undefined && <Quote key="quote" id={context.message_id} messages={messages} />,
    referral && <Line key="referral">Came from {referral.headline ?? referral.source_url ?? 'an ad'}</Line>,
  ].filter(Boolean);
  const content = [
    location && <Place key="place" {...location} />,
    contacts && <Cards key="cards" contacts={contacts} />,
    order && <Order key="order" order={order} />,
    interactive?.type === 'nfm_reply' && <Flow key="flow" {...interactive} />,
    reaction && (
      <Line key="reaction">{reaction.emoji === null ? 'Removed a reaction' : `Reacted ${reaction.emoji} to an earlier message`}</Line>
    ),
    media && filename && (
      <Line key="file">
        [{media.type}] {filename}
      </Line>
    ),
    errors && <Line key="errors">WhatsApp could not deliver this content: {errors.map(({ title }) => title).join(', ')}</Line>,
    details_truncated && <Line key="truncated">Parts of this message are too large to show.</Line>,
  ].filter(Boolean);
  const details = [...origin, ...content];
  return { details: details.length > 0 ? details : null, text: content.length > 0 ? message.text : shownText(message) };
}

function Line({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" dir="auto" style={{ opacity: 0.85 }}>
      {children}
    </Text>
  );
}

/** The message that the customer replied to. */
function Quote({ id, messages }: { id: string; messages: ThreadMessage[] }) {
  const quoted = messages.find(({ message_id }) => message_id === id);
  return (
    <Box pl="xs" mb={4} role="note" aria-label="Reply to" style={{ borderInlineStart: '3px solid var(--mantine-primary-color-filled)' }}>
      <Text size="xs" dir="auto" lineClamp={3} style={{ opacity: 0.85 }}>
        {quoted ? shownText(quoted) : 'An earlier message'}
      </Text>
    </Box>
  );
}

function Place({ latitude, longitude, name, address }: NonNullable<ThreadMessage['location']>) {
  const href = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`;
  return (
    <Box>
      {name && <Line>{name}</Line>}
      {address && <Line>{address}</Line>}
      <Anchor size="sm" href={href} target="_blank" rel="noopener noreferrer">
        {latitude}, {longitude}
      </Anchor>
    </Box>
  );
}

function Cards({ contacts }: { contacts: unknown[] }) {
  return cardsOf(contacts).map(({ name, lines }, i) => (
    <Box key={i}>
      <Text size="sm" fw={600} dir="auto">
        {name}
      </Text>
      {lines.map((line) => (
        <Group key={line} gap={4} wrap="nowrap">
          <Line>{line}</Line>
          <CopyIcon value={line} label={`Copy ${line}`} />
        </Group>
      ))}
    </Box>
  ));
}

function Order({ order }: { order: unknown }) {
  const { note, items } = itemsOf(order);
  return (
    <Box>
      {items.map((item, i) => (
        <Line key={i}>{item}</Line>
      ))}
      {note && <Line>{note}</Line>}
      {items.length === 0 && !note && <Line>[order]</Line>}
    </Box>
  );
}

/** The values that the customer entered into a flow. */
function Flow({ title, response = {} }: NonNullable<ThreadMessage['interactive']>) {
  return (
    <Box>
      <Line>Completed {title || 'a flow'}</Line>
      {Object.entries(response).map(([name, value]) => (
        <Line key={name}>
          {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
        </Line>
      ))}
    </Box>
  );
}
