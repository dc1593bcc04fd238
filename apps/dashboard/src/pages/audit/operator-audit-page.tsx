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

const route = getRouteApi('/inside/operator/audit');

/** The audit log of one business or of all, for operators. */
export function OperatorAuditPage() {
  const search = route.useSearch() as AuditSearch;
  const navigate = route.useNavigate();
  const businesses = useQuery({ queryKey: ['businesses'], queryFn: () => request(api.GET('/api/admin/businesses')) });
  const list = usePagedQuery({
    queryKey: ['operator-audit', search],
    load: (page) => request(api.GET('/api/admin/audit', { params: { query: { ...search, ...page } } })),
    rows: ({ entries }) => entries,
  });
  return (
    <>
      <PageTitle title="Audit log" about="Changes and logins of all businesses and operators" />
      <AuditFilters
        path="/api/admin/audit"
        search={search}
        set={(change) => void navigate({ search: { ...search, ...change } })}
        businesses={(businesses.data?.businesses ?? []).map(({ id, name }) => ({ value: String(id), label: `${name} (${id})` }))}
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
