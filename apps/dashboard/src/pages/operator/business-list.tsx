import { Group, Table } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, request } from '../../api/client';
import { EmptyState } from '../../components/empty-state';
import { number } from '../../components/format-number';
import { QueryResult } from '../../components/query-result';
import { StateBadge } from '../../components/state-badge';
import { SearchField } from '../../components/search-field';
import { useSearchText } from '../../components/use-search-text';
import { BusinessLink } from './business-link';
import { DataTable } from '../../components/data-table';
import { useZone } from '../../api/use-zone';
import { momentDate } from '../../components/clock-time';
import { TYPED } from '../../components/typed-text';

const route = getRouteApi('/inside/operator');

export function BusinessList() {
  const { q } = route.useSearch() as { q?: string };
  const navigate = route.useNavigate();
  const zone = useZone();
  const [text, setText] = useSearchText(q, (typed) => void navigate({ search: { q: typed }, replace: true }));
  const list = useQuery({
    queryKey: ['businesses', q],
    queryFn: () => request(api.GET('/api/admin/businesses', { params: { query: q ? { q } : {} } })),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <SearchField
        mb="sm"
        maw={360}
        aria-label="Search businesses"
        placeholder="Name or id"
        leftSection={<IconSearch size={16} />}
        value={text}
        onChange={setText}
      />
      <QueryResult query={list}>
        {({ businesses }) =>
          businesses.length === 0 ? (
            <EmptyState title="No businesses">{q ? 'No business has this name or id.' : 'Create the first business above.'}</EmptyState>
          ) : (
            <DataTable
              minWidth={620}
              columns={['Name', 'Plan', 'Time zone', { children: 'Broadcast recipients a day', ta: 'right' }, 'Since']}
            >
              {businesses.map((business) => (
                <Table.Tr key={business.id}>
                  <Table.Td {...TYPED}>
                    <Group gap="xs">
                      <BusinessLink id={business.id}>{business.name}</BusinessLink>
                      {business.suspended && <StateBadge of="failed" label="suspended" />}
                    </Group>
                  </Table.Td>
                  <Table.Td>{business.plan}</Table.Td>
                  <Table.Td>{business.timezone}</Table.Td>
                  <Table.Td ta="right">{number(business.broadcast_daily_limit)}</Table.Td>
                  <Table.Td>{momentDate(business.created_at, zone)}</Table.Td>
                </Table.Tr>
              ))}
            </DataTable>
          )
        }
      </QueryResult>
    </>
  );
}
