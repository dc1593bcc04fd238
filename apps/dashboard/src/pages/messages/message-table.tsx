import { Box, Text, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect } from 'react';
import type { Schemas } from '../../api/client';
import { useZone } from '../../api/use-zone';
import { phoneShown } from '../../components/phone-shown';
import { RelativeTime } from '../../components/relative-time';
import { StateBadge } from '../../components/state-badge';
import { useWindowRows } from '../../components/use-window-rows';
import './messages.css';
import { senderName } from './senders';

type Message = Schemas['MessageLog']['messages'][number];

const HEIGHT = 49;
/** A row is a card of three lines on a phone. */
const CARD_HEIGHT = 96;
/** Rows before the end of the list at which the next page loads. */
const AHEAD = 30;

interface MessageTableProps {
  messages: Message[];
  opened: string | undefined;
  onOpen: (id: string) => void;
  /** Loads the next page. */
  onEnd: () => void;
}

/** The log, of which only the rows on the screen are drawn. */
export function MessageTable({ messages, opened, onOpen, onEnd }: MessageTableProps) {
  const zone = useZone();
  const isPhone = useMediaQuery('(max-width: 48em)') ?? false;
  const { list, rows, height } = useWindowRows(messages.length, isPhone ? CARD_HEIGHT : HEIGHT);
  const last = rows.at(-1)?.index ?? 0;
  const isNearEnd = last >= messages.length - AHEAD;
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, messages.length]);
  return (
    <div role="table" aria-label="Messages" aria-rowcount={messages.length + 1}>
      <div role="rowgroup" className="log-head">
        <div role="row" className="log-row">
          {['When', 'To', 'Message', 'Sent by', 'Status', 'Reason'].map((name) => (
            <div key={name} role="columnheader">
              {name}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" ref={list} style={{ position: 'relative', height }}>
        {rows.map(({ index, top }) => {
          const message = messages[index];
          return (
            message && (
              <Box
                key={message.message_id}
                role="row"
                aria-rowindex={index + 2}
                className="log-row log-message"
                data-opened={message.message_id === opened || undefined}
                style={{ transform: `translateY(${top}px)`, height: isPhone ? CARD_HEIGHT : HEIGHT }}
                onClick={() => onOpen(message.message_id)}
              >
                <div role="cell" className="log-when">
                  <RelativeTime at={message.sent_at} zone={zone} />
                </div>
                <div role="cell" className="log-to">
                  {phoneShown(message.to)}
                </div>
                <div role="cell" className="log-text">
                  <UnstyledButton fz="sm" w="100%">
                    <Text size="sm" truncate>
                      {message.template && <b>{message.template} </b>}
                      <bdi>{message.text || `[${message.type}]`}</bdi>
                    </Text>
                  </UnstyledButton>
                </div>
                <div role="cell" className="log-sender">
                  {senderName(message.sent_by)}
                </div>
                <div role="cell" className="log-status">
                  <StateBadge of={message.delivery_status} />
                </div>
                <div role="cell" className="log-reason" title={message.failure_reason ?? undefined}>
                  {message.failure_reason}
                </div>
              </Box>
            )
          );
        })}
      </div>
    </div>
  );
}
