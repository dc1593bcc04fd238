import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, request } from '../../api/client';
import { EmptyState } from '../../components/empty-state';
import { LoadMore } from '../../components/load-more';
import { PageTitle } from '../../components/page-title';
import { QueryResult } from '../../components/query-result';
import { usePagedQuery } from '../../components/use-paged-query';
import { AuditFilters, type AuditSearch } from './audit-filters';
import { AuditTable } from './audit-table';

const route = getRouteApi('/inside/audit');

/** The audit log of the owner's business. */
export function AuditPage() {
  const search = route.useSearch() as AuditSearch;
  const navigate = route.useNavigate();
  const team = useQuery({ queryKey: ['team'], queryFn: () => request(api.GET('/api/client/team')) });
  const list = usePagedQuery({
    queryKey: ['audit', search],
    load: (page) => request(api.GET('/api/client/audit', { params: { query: { ...search, ...page } } })),
    rows: ({ entries }) => entries,
  });
  return (
    <>
      <PageTitle title="Audit log" about="Changes and logins of your business, by person and address" />
      <AuditFilters
        path="/api/client/audit"
        search={search}
        set={(change) => void navigate({ search: { ...search, ...change } })}
        people={(team.data?.users ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
      />
      <QueryResult query={list}>
        {(entries) =>
          entries.length === 0 ? (
            <EmptyState title="No entries">No change or login matches these filters.</EmptyState>
          ) : (
            <AuditTable entries={entries} />
          )
        }
      </QueryResult>
      <Group mt="md">
        <LoadMore list={list}>Older entries</LoadMore>
      </Group>
    </>
  );
}
