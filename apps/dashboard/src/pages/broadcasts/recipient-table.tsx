import { Anchor, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { RelativeTime } from '../../components/relative-time';
import { scrollableByKeyboard } from '../../components/scrollable-by-keyboard';
import { StateBadge } from '../../components/state-badge';

type Recipient = Schemas['BroadcastRecipients']['recipients'][number];

/** The newest state of a recipient. */
const progressOf = ({ state, delivery }: Recipient) => (state === 'sent' ? (delivery ?? 'sent') : state);

export function RecipientTable({ recipients }: { recipients: Recipient[] }) {
  return (
    <Table.ScrollContainer minWidth={420} scrollAreaProps={scrollableByKeyboard}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Phone</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Detail</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {recipients.map((one) => (
            <Table.Tr key={one.nth}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                {one.message_id === null ? (
                  one.phone
                ) : (
                  <Anchor component={Link} to="/messages" search={{ q: one.message_id } as never} size="sm">
                    {one.phone}
                  </Anchor>
                )}
              </Table.Td>
              <Table.Td>
                <StateBadge of={progressOf(one)} {...(one.state === 'unclear' && { label: 'not confirmed' })} />
              </Table.Td>
              <Table.Td>
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {one.reason}
                  {one.replied_at && (
                    <>
                      replied <RelativeTime at={one.replied_at} />
                    </>
                  )}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
