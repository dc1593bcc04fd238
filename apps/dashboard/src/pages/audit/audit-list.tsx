import { Group } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api, request } from '../../api/client';
import { EmptyState } from '../../components/empty-state';
import { LoadMore } from '../../components/load-more';
import { QueryResult } from '../../components/query-result';
import { usePagedQuery } from '../../components/use-paged-query';
import { AuditFilters, type AuditFiltersProps, type AuditSearch } from './audit-filters';
import { AuditTable } from './audit-table';

interface AuditListProps extends Omit<AuditFiltersProps, 'search' | 'set'> {
  /** Lists the entries of this business only. */
  businessId?: string;
}

/** An audit log with its filters, which the page's address keeps beside the page's own `id`. */
export function AuditList({ businessId, ...choices }: AuditListProps) {
  const { id, ...filters } = useSearch({ strict: false }) as AuditSearch & { id?: string };
  const navigate = useNavigate();
  const search = { ...filters, ...(businessId !== undefined && { business_id: businessId }) };
  const list = usePagedQuery({
    queryKey: ['audit', choices.path, search],
    load: (page) => request(api.GET(choices.path, { params: { query: { ...search, ...page } } })),
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
