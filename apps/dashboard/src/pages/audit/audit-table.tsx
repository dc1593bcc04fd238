import { Code, Table, Text } from '@mantine/core';
import { RelativeTime } from '../../components/relative-time';
import { scrollableByKeyboard } from '../../components/scrollable-by-keyboard';
import { ACTION_LABELS, type AuditEntry } from './audit-actions';

export function AuditTable({ entries }: { entries: AuditEntry[] }) {
  return (
    <Table.ScrollContainer minWidth={760} scrollAreaProps={scrollableByKeyboard}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>When</Table.Th>
            <Table.Th>Who</Table.Th>
            <Table.Th>What</Table.Th>
            <Table.Th>From</Table.Th>
            <Table.Th>Details</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => (
            <Table.Tr key={entry.id}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <RelativeTime at={entry.at} />
              </Table.Td>
              <Table.Td maw={220}>
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {entry.user?.name ?? (entry.detail['api_key_id'] ? `API key ${String(entry.detail['api_key_id'])}` : 'Nobody known')}
                </Text>
                <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                  {entry.user?.email}
                </Text>
              </Table.Td>
              <Table.Td>
                <Text size="sm">{ACTION_LABELS[entry.action]}</Text>
                <Text size="xs" c="dimmed">
                  {entry.target}
                </Text>
              </Table.Td>
              <Table.Td>
                <Text size="sm">{entry.ip ?? 'the command line'}</Text>
                <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                  {entry.request_id}
                </Text>
              </Table.Td>
              <Table.Td maw={280}>
                {Object.keys(entry.detail).length > 0 && (
                  <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{JSON.stringify(entry.detail)}</Code>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
