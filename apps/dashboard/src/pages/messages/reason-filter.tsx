import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, request } from '../../api/client';
import { countFilterOf, type LogSearch } from './log-filter';

/** The reasons of the failures in the period. */
export function ReasonFilter({ search, onChange }: { search: LogSearch; onChange: (change: LogSearch) => void }) {
  const { failure_code, ...others } = search;
  const filter = countFilterOf({ ...others, q: undefined, phone: undefined }) ?? {};
  const { data } = useQuery({
    queryKey: ['message-counts', filter],
    queryFn: () => request(api.GET('/api/client/messages/counts', { params: { query: filter } })),
  });
  const known = (data?.failures ?? []).map((failure) => ({
    value: failure.failure_code,
    label: failure.failure_code === 'other' ? failure.reason : `${failure.failure_code} ${failure.reason}`,
  }));
  const options = failure_code === undefined || known.some(({ value }) => value === failure_code) ? known : [...known, failure_code];
  return (
    <Select
      label="Reason of failure"
      clearable
      placeholder="All"
      w={260}
      data={options}
      value={failure_code ?? null}
      onChange={(code) => onChange({ failure_code: code ?? undefined, ...(code !== null && { status: 'failed' }) })}
    />
  );
}
