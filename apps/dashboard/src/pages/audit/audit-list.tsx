import { Group, Table, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api, request } from '../../api/client';
import { EmptyState } from '../../components/empty-state';
import { LoadMore } from '../../components/load-more';
import { QueryResult } from '../../components/query-result';
import { usePagedQuery } from '../../components/use-paged-query';
import { AuditFilters, type AuditFiltersProps, type AuditSearch } from './audit-filters';
import { RelativeTime } from '../../components/relative-time';
import { ACTION_LABELS, type AuditEntry } from './audit-actions';
import { detailWords } from './detail-words';
import { DataTable } from '../../components/data-table';
import { Dimmed } from '../../components/dimmed';
import { TYPED } from '../../components/typed-text';

function AuditTable({ entries, people }: { entries: AuditEntry[]; people: AuditFiltersProps['people'] }) {
  return (
    <DataTable minWidth={760} columns={['When', 'Who', 'What', 'From', 'Details']}>
      {entries.map((entry) => (
        <Table.Tr key={entry.id}>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>
            <RelativeTime at={entry.at} />
          </Table.Td>
          <Table.Td miw={140} maw={220}>
            <Text size="sm" {...TYPED}>
              {entry.user?.name ?? (entry.detail['api_key_id'] ? `API key ${String(entry.detail['api_key_id'])}` : 'Nobody known')}
            </Text>
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {entry.user?.email}
            </Text>
          </Table.Td>
          <Table.Td miw={140} maw={280} style={{ overflowWrap: 'anywhere' }}>
            <Text size="sm">{ACTION_LABELS[entry.action]}</Text>
            <Dimmed size="xs">{targetShown(entry.target, people)}</Dimmed>
          </Table.Td>
          <Table.Td>
            <Text size="sm">{entry.ip ?? (entry.request_id === null ? 'Command line' : 'Not shown')}</Text>
            {entry.ip === null && entry.request_id !== null && (
              <Dimmed size="xs">Only the operator sees it: the person may have meant an account of another business.</Dimmed>
            )}
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {entry.request_id && `Request ${entry.request_id}`}
            </Text>
          </Table.Td>
          <Table.Td maw={280}>
            {Object.entries(entry.detail).map(([field, value]) => {
              const words = detailWords(field, value, (id) => personNamed(people, id));
              return (
                words && (
                  <Text key={field} size="xs" {...TYPED}>
                    <Text span inherit c="dimmed">
                      {words.name}
                    </Text>{' '}
                    {words.text}
                  </Text>
                )
              );
            })}
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}

/** The changed resource: a person of the team by name, and anything else as `webhook 1`. */
function targetShown(target: string | null, people: AuditFiltersProps['people']): string | null {
  const [, kind = '', id] = /^([a-z-]+):(.+)$/.exec(target ?? '') ?? [];
  if (id === undefined) return target;
  return (kind === 'user' && personNamed(people, id)) || `${kind === 'user' ? 'person' : kind.replaceAll('-', ' ')} ${id}`;
}

const personNamed = (people: AuditFiltersProps['people'] = [], id: string) => people.find(({ value }) => value === id)?.label;

interface AuditListProps extends Omit<AuditFiltersProps, 'search' | 'set'> {
  /** Lists the entries of this business only. */
  businessId?: string;
}

/** An audit log with its filters, which the page's address keeps next to the page's own `id`. */
export function AuditList({ businessId, ...choices }: AuditListProps) {
  const { id, ...filters } = useSearch({ strict: false }) as AuditSearch & { id?: string };
  const navigate = useNavigate();
  const search = { ...filters, ...(businessId !== undefined && { business_id: businessId }) };
  const { user_id, business_id, ...others } = search;
  const query = { ...others, ...(user_id && { user_id: Number(user_id) }), ...(business_id && { business_id: Number(business_id) }) };
  const list = usePagedQuery({
    queryKey: ['audit', choices.path, query],
    load: (page) => request(api.GET(choices.path, { params: { query: { ...query, ...page } } })),
    rows: ({ entries }) => entries,
  });
  return (
    <>
      <AuditFilters
        {...choices}
        search={search}
        set={(change) => void navigate({ to: '.', search: { id, ...filters, ...change } as never })}
      />
      <QueryResult query={list}>
        {(entries) =>
          entries.length === 0 ? (
            <EmptyState title="No entries">No change or login matches these filters.</EmptyState>
          ) : (
            <AuditTable entries={entries} people={choices.people} />
          )
        }
      </QueryResult>
      <Group mt="md">
        <LoadMore list={list}>Older entries</LoadMore>
      </Group>
    </>
  );
}
