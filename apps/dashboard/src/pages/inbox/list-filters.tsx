import { Group, Select, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { labelsQuery } from './label-chips';

/** No label has an empty name. */
const ANY = '';

/** Filters of the list, within its view. */
export interface Filters {
  isUnread: boolean;
  label: string | undefined;
}

/** Narrows the list to unread conversations or to a label. */
export function ListFilters({ filters: { isUnread, label }, onChange }: { filters: Filters; onChange: (next: Filters) => void }) {
  const { data } = useQuery(labelsQuery);
  // A link may name a label that was deleted since.
  const names = new Set([...(data?.labels ?? []).map(({ name }) => name), ...(label === undefined ? [] : [label])]);
  return (
    <Group gap="xs" wrap="nowrap" justify="space-between" role="group" aria-label="Filters">
      <UnstyledButton className="inbox-tab inbox-filter" aria-pressed={isUnread} onClick={() => onChange({ isUnread: !isUnread, label })}>
        Unread only
      </UnstyledButton>
      <Select
        aria-label="Filter by label"
        nothingFoundMessage="No label has this name."
        size="xs"
        w={190}
        searchable
        allowDeselect={false}
        data={[{ value: ANY, label: 'Any label' }, ...names]}
        value={label ?? ANY}
        onChange={(next) => onChange({ isUnread, label: next || undefined })}
      />
    </Group>
  );
}
