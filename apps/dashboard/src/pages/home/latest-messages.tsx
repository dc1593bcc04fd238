import { Anchor, Group, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { DataTable } from '../../components/data-table';
import { phoneShown } from '../../components/phone-shown';
import { RelativeTime } from '../../components/relative-time';
import { shownStatus } from '../../components/shown-status';
import { StateBadge } from '../../components/state-badge';
import { TypedLine } from '../../components/typed-line';

/** The newest messages; each link opens one in the log. */
export function LatestMessages({ messages }: Pick<Schemas['MessageLog'], 'messages'>) {
  if (messages.length === 0)
    return (
      <Text c="dimmed" size="sm">
        No message yet. The messages that you send appear here.
      </Text>
    );
  return (
    <>
      <DataTable minWidth={560} columns={['When', 'To', 'Message', 'Status']}>
        {/* A new message changes the rows in place, so that none moves. */}
        {messages.map(({ message_id, sent_at, to, template, text, type, delivery_status, failure_reason }, i) => (
          <Table.Tr key={i}>
            <Table.Td style={{ whiteSpace: 'nowrap' }}>
              <RelativeTime at={sent_at} />
            </Table.Td>
            <Table.Td style={{ whiteSpace: 'nowrap' }}>{phoneShown(to)}</Table.Td>
            <Table.Td maw={0} w="60%">
              <Anchor size="sm" display="block" renderRoot={(props) => <Link {...props} to="/messages" search={{ id: message_id }} />}>
                <TypedLine before={template && <b>{template} </b>}>{text || `[${type}]`}</TypedLine>
              </Anchor>
            </Table.Td>
            <Table.Td>
              <StateBadge of={shownStatus(delivery_status, failure_reason)} />
            </Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
      <Group mt="xs">
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/messages" />}>
          All messages
        </Anchor>
      </Group>
    </>
  );
}
