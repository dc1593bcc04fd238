import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request, shownByForm } from '../../api/client';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { NumberField } from '../../components/number-field';
import { QueryResult } from '../../components/query-result';
import { useChange } from '../../api/use-change';

export function GlobalLimitForm() {
  const limits = useQuery({ queryKey: ['limits'], queryFn: () => request(api.GET('/api/admin/limits')) });
  const [value, setValue] = useState<number | null>(null);
  const save = useChange(
    (global_per_minute: number) => request(api.PUT('/api/admin/limits', { body: { global_per_minute } })),
    'limits',
    shownByForm,
  );
  return (
    <QueryResult query={limits} rows={1}>
      {({ global_per_minute }) => (
        <Form onSubmit={() => save.mutate(value ?? global_per_minute)} error={save.error}>
          <Group align="flex-start">
            <Field name="global_per_minute">
              <NumberField
                label="Requests a minute, all keys together"
                min={1}
                max={100_000}
                value={value ?? global_per_minute}
                onChange={(next) => setValue(next)}
              />
            </Field>
            <Button variant="default" type="submit" mt={25} loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Form>
      )}
    </QueryResult>
  );
}
