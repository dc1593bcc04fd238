import { Button, Collapse, Group, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAdjustments } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { keyChains, keysQuery } from '../../api/api-keys';
import { api, request } from '../../api/client';
import { PERIODS } from '../../api/message-counts';
import { useMayCall } from '../../api/session';
import { useZone } from '../../api/use-zone';
import { DayField } from '../../components/day-field';
import { SearchField } from '../../components/search-field';
import { useSearchText } from '../../components/use-search-text';
import { daysOf, FILTERS, FURTHER, type LogSearch } from './log-filter';
import { ReasonFilter } from './reason-filter';
import { SENDERS } from './senders';

const STATUSES = ['sent', 'delivered', 'read', 'failed'];
const FIELD = { flex: '1 1 130px', maxWidth: 170 };
const TYPES = ['text', 'template', 'image', 'document', 'video', 'audio', 'otp', 'interactive', 'location', 'contacts', 'reaction'];

interface LogFiltersProps {
  search: LogSearch;
  /** Changes the address. */
  onChange: (change: LogSearch) => void;
}

/** The filters of the log; all of them are in the address. */
export function LogFilters({ search, onChange }: LogFiltersProps) {
  const [text, setText] = useSearchText(search.q, (q) => onChange({ q }));
  const [phone, setPhone] = useState(search.phone ?? '');
  useEffect(() => setPhone(search.phone ?? ''), [search.phone]);
  const zone = useZone();
  const days = daysOf(search, zone);
  const further = FURTHER.filter((name) => search[name] !== undefined).length;
  const [isOpen, { toggle }] = useDisclosure(further > 0);
  const hasKeys = useMayCall('GET /api/client/api-keys');
  const keys = useQuery({ ...keysQuery, enabled: hasKeys && isOpen });
  const templates = useQuery({
    queryKey: ['templates'],
    queryFn: () => request(api.GET('/api/client/templates')),
    enabled: isOpen,
  });
  const filterPhone = () => onChange({ phone: phone.trim() || undefined });
  const select = (name: (typeof FILTERS)[number], label: string, data: (string | { value: string; label: string })[]) => (
    <Select
      label={label}
      clearable
      searchable={data.length > 11}
      placeholder="All"
      style={FIELD}
      data={data}
      value={search[name] ?? null}
      onChange={(value) => onChange({ [name]: value ?? undefined })}
    />
  );
  const templateNames = [
    ...new Set([...(templates.data?.templates ?? []).map(({ name }) => name), ...(search.template ? [search.template] : [])]),
  ];
  return (
    <>
      <Group mb="sm" align="flex-end" gap="sm">
        <SearchField
          label="Search"
          placeholder="Text, template or message id"
          style={{ flex: '1 1 250px', maxWidth: 320 }}
          value={text}
          onChange={setText}
        />
        <SearchField
          label="Phone"
          placeholder="Number or part of it"
          style={{ flex: '1 1 150px', maxWidth: 190 }}
          value={phone}
          onChange={(next) => {
            setPhone(next);
            if (next === '') onChange({ phone: undefined });
          }}
          onBlur={filterPhone}
          onKeyDown={(e) => e.key === 'Enter' && filterPhone()}
        />
        <Select
          label="Period"
          clearable
          placeholder={search.from || search.to ? 'Chosen days' : 'Any time'}
          style={FIELD}
          data={PERIODS.map(({ value, text: days }) => ({ value, label: `Last ${days}` }))}
          value={search.period ?? null}
          onChange={(period) => onChange({ period: period ?? undefined, from: undefined, to: undefined })}
        />
        {select('status', 'Status', STATUSES)}
        <Button variant="default" leftSection={<IconAdjustments size={16} />} aria-expanded={isOpen} onClick={toggle}>
          {further > 0 ? `More filters (${further})` : 'More filters'}
        </Button>
        {FILTERS.some((name) => search[name] !== undefined) && (
          <Button
            variant="subtle"
            onClick={() => {
              setText('');
              onChange(Object.fromEntries(FILTERS.map((name) => [name, undefined])));
            }}
          >
            Clear
          </Button>
        )}
      </Group>
      <Collapse expanded={isOpen}>
        <Group mb="sm" align="flex-end" gap="sm">
          <DayField label="From" value={days.from} disabled={false} onChange={(from) => onChange({ from, period: undefined })} />
          <DayField label="To" value={days.to} disabled={false} onChange={(to) => onChange({ to, period: undefined })} />
          {select('sent_by', 'Sent by', SENDERS)}
          {select('type', 'Type', TYPES)}
          {select('template', 'Template', templateNames)}
          {hasKeys &&
            select(
              'api_key_id',
              'API key',
              keyChains(keys.data?.api_keys ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
            )}
          <ReasonFilter search={search} onChange={onChange} />
        </Group>
      </Collapse>
    </>
  );
}
