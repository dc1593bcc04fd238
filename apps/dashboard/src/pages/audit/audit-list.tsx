import { Group } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { EmptyState } from '../../components/empty-state';
import { LoadMore } from '../../components/load-more';
import { QueryResult } from '../../components/query-result';
import { usePagedQuery } from '../../components/use-paged-query';
import { AuditFilters, type AuditFiltersProps } from './audit-filters';
import { AuditTable } from './audit-table';

interface AuditListProps extends AuditFiltersProps {
  load: (page: { cursor?: string }) => Promise<Schemas['AuditLog']>;
}

/** An audit log with its filters. */
export function AuditList({ load, ...filters }: AuditListProps) {
  const list = usePagedQuery({ queryKey: ['audit', filters.path, filters.search], load, rows: ({ entries }) => entries });
  return (
    <>
      <AuditFilters {...filters} />
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
