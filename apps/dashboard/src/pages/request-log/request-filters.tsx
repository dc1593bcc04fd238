import { Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { keyChains, keysQuery } from '../../api/api-keys';

export interface RequestSearch {
  status?: string | undefined;
  api_key_id?: string | undefined;
}

const STATUSES = [
  { value: '4xx', label: '4xx: refused' },
  { value: '5xx', label: '5xx: failed on our side' },
];

interface RequestFiltersProps {
  search: RequestSearch;
  /** Changes the address. */
  onChange: (change: RequestSearch) => void;
}

export function RequestFilters({ search, onChange }: RequestFiltersProps) {
  const keys = useQuery(keysQuery);
  return (
    <Group mb="sm" align="flex-end" gap="sm">
      <Select
        label="Status"
        clearable
        placeholder="All"
        data={STATUSES}
        value={search.status ?? null}
        onChange={(status) => onChange({ status: status ?? undefined })}
      />
      <Select
        label="API key"
        clearable
        placeholder="All"
        data={keyChains(keys.data?.api_keys ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
        value={search.api_key_id ?? null}
        onChange={(api_key_id) => onChange({ api_key_id: api_key_id ?? undefined })}
      />
    </Group>
  );
}
