import { Group, Select } from '@mantine/core';
import { DateField } from '../../components/datetime-field';
import { DownloadButton } from '../../components/download-button';
import { ACTION_LABELS, type AuditAction } from './audit-actions';

/** The filters of the address; the names are those of the API. */
export interface AuditSearch {
  user_id?: string;
  business_id?: string;
  action?: AuditAction;
  from?: string;
  to?: string;
}

interface Choice {
  value: string;
  label: string;
}

export interface AuditFiltersProps {
  search: AuditSearch;
  set: (change: { [K in keyof AuditSearch]?: AuditSearch[K] | undefined }) => void;
  /** Path of the API that lists the entries. */
  path: '/api/client/audit' | '/api/admin/audit';
  people?: Choice[];
  businesses?: Choice[];
}

const ACTIONS = Object.entries(ACTION_LABELS).map(([value, label]) => ({ value, label }));

export function AuditFilters({ search, set, path, people, businesses }: AuditFiltersProps) {
  const query = new URLSearchParams({
    ...Object.fromEntries(Object.entries(search).filter((entry): entry is [string, string] => Boolean(entry[1]))),
    format: 'csv',
  });
  return (
    <Group mb="md" align="flex-end">
      {businesses && (
        <Select
          label="Business"
          clearable
          searchable
          placeholder="All"
          data={businesses}
          value={search.business_id ?? null}
          onChange={(business_id) => set({ business_id: business_id ?? undefined })}
        />
      )}
      {people && (
        <Select
          label="Person"
          clearable
          searchable
          placeholder="Everybody"
          data={people}
          value={search.user_id ?? null}
          onChange={(user_id) => set({ user_id: user_id ?? undefined })}
        />
      )}
      <Select
        label="Action"
        clearable
        searchable
        placeholder="All"
        data={ACTIONS}
        value={search.action ?? null}
        onChange={(action) => set({ action: (action as AuditAction | null) ?? undefined })}
      />
      <DateField label="From" value={search.from ?? ''} onChange={(e) => set({ from: e.currentTarget.value || undefined })} />
      <DateField label="To" value={search.to ?? ''} onChange={(e) => set({ to: e.currentTarget.value || undefined })} />
      <DownloadButton variant="default" href={`${path}?${query.toString()}`}>
        Download CSV
      </DownloadButton>
    </Group>
  );
}
