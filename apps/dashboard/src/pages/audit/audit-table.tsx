import { Code, Table, Text } from '@mantine/core';
import { RelativeTime } from '../../components/relative-time';
import { ACTION_LABELS, type AuditEntry } from './audit-actions';
import { DataTable } from '../../components/data-table';
import { Dimmed } from '../../components/dimmed';

export function AuditTable({ entries }: { entries: AuditEntry[] }) {
  return (
    <DataTable minWidth={760} columns={['When', 'Who', 'What', 'From', 'Details']}>
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
            <Dimmed size="xs">{entry.target}</Dimmed>
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
    </DataTable>
  );
}
