import type { Schemas } from '../../api/client';
import { LogTable } from '../../components/log-table';
import { phoneShown } from '../../components/phone-shown';
import { RelativeTime } from '../../components/relative-time';
import { shownReason, shownStatus } from '../../components/shown-status';
import { StateBadge } from '../../components/state-badge';
import { TypedLine } from '../../components/typed-line';
import './messages.css';
import { senderName } from './senders';

type Message = Schemas['MessageLog']['messages'][number];

interface MessageTableProps {
  messages: Message[];
  opened: string | undefined;
  onOpen: (id: string) => void;
  /** Loads the next page. */
  onEnd: () => void;
}

/** The log of messages. */
export function MessageTable({ messages, opened, onOpen, onEnd }: MessageTableProps) {
  return (
    <LogTable
      label="Messages"
      className="message-log"
      rows={messages}
      idOf={({ message_id }) => message_id}
      opened={opened}
      onOpen={({ message_id }) => onOpen(message_id)}
      onEnd={onEnd}
      columns={[
        { name: 'When', className: 'log-when', cell: ({ sent_at }) => <RelativeTime at={sent_at} /> },
        { name: 'To', className: 'log-to', cell: ({ to }) => phoneShown(to) },
        {
          name: 'Message',
          className: 'log-text',
          isButton: true,
          cell: ({ template, text, type }) => <TypedLine before={template && <b>{template} </b>}>{text || `[${type}]`}</TypedLine>,
        },
        { name: 'Sent by', className: 'log-sender', cell: ({ sent_by }) => senderName(sent_by) },
        {
          name: 'Status',
          className: 'log-status',
          cell: ({ delivery_status, failure_reason }) => <StateBadge of={shownStatus(delivery_status, failure_reason)} />,
        },
        {
          name: 'Reason',
          className: 'log-reason',
          title: ({ failure_reason }) => shownReason(failure_reason) ?? undefined,
          cell: ({ failure_reason }) => <TypedLine>{shownReason(failure_reason)}</TypedLine>,
        },
      ]}
    />
  );
}
