import { Anchor, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { MessageCounts, Period } from '../../api/message-counts';
import { counted } from '../../components/format-number';
import { TYPED } from '../../components/typed-text';

/** Failed messages by each reason; each link opens the log with the same messages. */
export function FailureReasons({ failures, period }: { failures: MessageCounts['failures']; period: Period }) {
  if (failures.length === 0)
    return (
      <Text c="dimmed" size="sm">
        No message failed in this period.
      </Text>
    );
  return (
    <Table verticalSpacing="xs" highlightOnHover={false}>
      <Table.Tbody>
        {failures.map(({ failure_code, reason, hint, count }) => (
          <Table.Tr key={failure_code}>
            <Table.Td pl={0} {...TYPED}>
              <Text size="sm">
                {reason}{' '}
                {failure_code !== 'other' && (
                  <Text span size="sm" c="dimmed">
                    {failure_code}
                  </Text>
                )}
              </Text>
              {hint && (
                <Text size="xs" c="dimmed">
                  {hint}
                </Text>
              )}
            </Table.Td>
            <Table.Td pr={0} ta="right" style={{ whiteSpace: 'nowrap' }}>
              <Anchor
                size="sm"
                renderRoot={(props) => <Link {...props} to="/messages" search={{ period, status: 'failed', failure_code }} />}
              >
                {counted(count, 'message')}
              </Anchor>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
