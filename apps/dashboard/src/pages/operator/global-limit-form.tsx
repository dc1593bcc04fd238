import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request } from '../../api/client';
import { NumberField } from '../../components/number-field';
import { QueryResult } from '../../components/query-result';
import { useChange } from '../../api/use-change';

export function GlobalLimitForm() {
  const limits = useQuery({ queryKey: ['limits'], queryFn: () => request(api.GET('/api/admin/limits')) });
  const [value, setValue] = useState<number | null>(null);
  const save = useChange((global_per_minute: number) => request(api.PUT('/api/admin/limits', { body: { global_per_minute } })), 'limits');
  return (
    <QueryResult query={limits} rows={1}>
      {({ global_per_minute }) => (
        <Group align="flex-end">
          <NumberField
            label="Requests a minute, all keys together"
            min={1}
            max={100_000}
            value={value ?? global_per_minute}
            onChange={(next) => setValue(next)}
          />
          <Button variant="default" loading={save.isPending} onClick={() => save.mutate(value ?? global_per_minute)}>
            Save
          </Button>
        </Group>
      )}
    </QueryResult>
  );
}
