import { Anchor, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { DataTable } from '../../components/data-table';
import { RelativeTime } from '../../components/relative-time';
import { shownReason } from '../../components/shown-status';
import { StateBadge } from '../../components/state-badge';
import { phoneShown } from '../../components/phone-shown';
import { TYPED } from '../../components/typed-text';

type Recipient = Schemas['BroadcastRecipients']['recipients'][number];

/** The newest state of a recipient. */
const progressOf = ({ state, delivery }: Recipient) => (state === 'sent' ? (delivery ?? 'sent') : state);

/** @param isRunning whether the broadcast will retry recipients that wait */
export function RecipientTable({ recipients, isRunning }: { recipients: Recipient[]; isRunning: boolean }) {
  return (
    <DataTable minWidth={420} columns={['Phone', 'State', 'Detail']}>
      {recipients.map((one) => (
        <Table.Tr key={one.nth}>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>
            {one.message_id === null ? (
              phoneShown(one.phone)
            ) : (
              <Anchor component={Link} to="/messages" search={{ q: one.message_id } as never} size="sm">
                {phoneShown(one.phone)}
              </Anchor>
            )}
          </Table.Td>
          <Table.Td>
            <StateBadge of={progressOf(one)} {...(isRunning && one.next_attempt_at && { label: 'waiting' })} />
          </Table.Td>
          <Table.Td>
            <Text size="sm" {...TYPED}>
              {shownReason(one.reason)}
              {isRunning && one.next_attempt_at && (
                <>
                  {one.reason && ' · '}next try <RelativeTime at={one.next_attempt_at} />
                </>
              )}
              {one.replied_at && (
                <>
                  replied <RelativeTime at={one.replied_at} />
                </>
              )}
            </Text>
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}
