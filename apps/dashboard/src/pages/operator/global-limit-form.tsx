import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request, notifySuccess } from '../../api/client';
import { NumberField } from '../../components/number-field';
import { QueryResult } from '../../components/query-result';

export function GlobalLimitForm() {
  const queries = useQueryClient();
  const limits = useQuery({ queryKey: ['limits'], queryFn: () => request(api.GET('/api/admin/limits')) });
  const [value, setValue] = useState<number | null>(null);
  const save = useMutation({
    mutationFn: (global_per_minute: number) => request(api.PUT('/api/admin/limits', { body: { global_per_minute } })),
    onSuccess: ({ message }) => {
      notifySuccess(message);
      void queries.invalidateQueries({ queryKey: ['limits'] });
    },
  });
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
