import { Group, Table } from '@mantine/core';
import { api, request } from '../../api/client';
import { EmptyState } from '../../components/empty-state';
import { counted, isOrAre } from '../../components/format-number';
import { LoadMore } from '../../components/load-more';
import { QueryResult } from '../../components/query-result';
import { RelativeTime } from '../../components/relative-time';
import { StateBadge } from '../../components/state-badge';
import { usePagedQuery } from '../../components/use-paged-query';
import { DataTable } from '../../components/data-table';
import { Dimmed } from '../../components/dimmed';
import { TYPED } from '../../components/typed-text';

export function ErasureList() {
  const list = usePagedQuery({
    queryKey: ['erasures'],
    load: (query) => request(api.GET('/api/client/erasures', { params: { query } })),
    rows: ({ erasures }) => erasures,
    refetchInterval: (erasures) => (erasures.some(({ state }) => state === 'running') ? 2_000 : 60_000),
  });
  return (
    <>
      <QueryResult query={list}>
        {(erasures) =>
          erasures.length === 0 ? (
            <EmptyState title="No erasures yet">
              Erased people appear here, with the reason and the time when every service was done.
            </EmptyState>
          ) : (
            <DataTable minWidth={620} columns={['Person', 'State', 'Requested', 'By', 'Reason']}>
              {erasures.map(({ id, contact, state, confirmed, requested_at, requested_by, completed_at, reason }) => (
                <Table.Tr key={id}>
                  <Table.Td>{contact}</Table.Td>
                  <Table.Td>
                    <StateBadge of={state === 'done' ? 'succeeded' : 'running'} label={state} />
                    <Dimmed size="xs">
                      {completed_at ? (
                        <RelativeTime at={completed_at} />
                      ) : (
                        `${counted(confirmed.length, 'service')} ${isOrAre(confirmed.length)} done`
                      )}
                    </Dimmed>
                  </Table.Td>
                  <Table.Td>
                    <RelativeTime at={requested_at} />
                  </Table.Td>
                  <Table.Td {...TYPED}>{requested_by?.name ?? 'A person who was removed'}</Table.Td>
                  <Table.Td maw={280} {...TYPED}>
                    {reason}
                  </Table.Td>
                </Table.Tr>
              ))}
            </DataTable>
          )
        }
      </QueryResult>
      <Group>
        <LoadMore list={list}>Older erasures</LoadMore>
      </Group>
    </>
  );
}
