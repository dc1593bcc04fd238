import { Button, Group, Select, Table, Text, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { api, request, shownByForm } from '../../api/client';
import { usePagedQuery } from '../../components/use-paged-query';
import { RelativeTime } from '../../components/relative-time';
import { LoadMore } from '../../components/load-more';
import { EmptyState } from '../../components/empty-state';
import { QueryResult } from '../../components/query-result';
import { DownloadButton } from '../../components/download-button';
import { ConfirmButton } from '../../components/confirm-button';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { TitledCard } from '../../components/titled-card';
import { Dimmed } from '../../components/dimmed';
import { phoneShown } from '../../components/phone-shown';
import { useChange } from '../../api/use-change';
import { ImportOptOuts } from './import-opt-outs';
import { TYPED } from '../../components/typed-text';

const SUPPRESSION_STATES = [
  { value: 'opted_out', label: 'opted out of everything' },
  { value: 'opted_out_marketing', label: 'opted out of marketing' },
  { value: 'blocked', label: 'blocked' },
];

const SOURCES = { dashboard: 'your team', api: 'an API key', person: 'the customer', platform: 'WhatsApp' };

export function OptedOutContacts() {
  const [phone, setPhone] = useState('');
  const [state, setState] = useState<string>('opted_out');
  const list = usePagedQuery({
    queryKey: ['suppressions'],
    load: (query) => request(api.GET('/api/client/suppressions', { params: { query: { ...query, limit: 10 } } })),
    rows: (page) => page.suppressions,
  });
  const add = useChange(
    () => request(api.PUT('/api/client/suppressions/{phone}', { params: { path: { phone } }, body: { state: state as 'blocked' } })),
    'suppressions',
    shownByForm,
  );
  const lift = useChange(
    (whose: string) => request(api.DELETE('/api/client/suppressions/{phone}', { params: { path: { phone: whose } } })),
    'suppressions',
  );
  return (
    <TitledCard title="Opted-out contacts">
      <Form onSubmit={() => add.mutate(undefined, { onSuccess: () => setPhone('') })} error={add.error}>
        <Group align="flex-start" mb="sm">
          <Field name="phone">
            <TextInput label="Phone" required value={phone} onChange={(e) => setPhone(e.currentTarget.value)} />
          </Field>
          <Field name="state">
            <Select
              label="State"
              data={SUPPRESSION_STATES}
              value={state}
              allowDeselect={false}
              onChange={(value) => value && setState(value)}
            />
          </Field>
          <Button type="submit" variant="default" mt={25} loading={add.isPending}>
            Add
          </Button>
        </Group>
      </Form>
      <QueryResult query={list} rows={2}>
        {(suppressions) =>
          suppressions.length === 0 ? (
            <EmptyState title="No opted-out contacts">
              People who write STOP or opt out in WhatsApp appear here and receive no more messages.
            </EmptyState>
          ) : (
            <Table>
              <Table.Tbody>
                {suppressions.map((one) => (
                  <Table.Tr key={one.phone}>
                    <Table.Td>
                      <Text size="sm">{phoneShown(one.phone)}</Text>
                      <Dimmed size="xs">
                        {SUPPRESSION_STATES.find(({ value }) => value === one.state)?.label}, by {SOURCES[one.source]},{' '}
                        <RelativeTime at={one.since} />
                      </Dimmed>
                      {one.reason && (
                        <Text size="xs" {...TYPED}>
                          {one.reason}
                        </Text>
                      )}
                    </Table.Td>
                    <Table.Td ta="right">
                      <ConfirmButton
                        size="compact-sm"
                        variant="default"
                        aria-label={`Lift ${phoneShown(one.phone)}`}
                        question={`Allow messages to ${phoneShown(one.phone)} again?`}
                        onConfirm={() => lift.mutate(one.phone)}
                      >
                        Lift
                      </ConfirmButton>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </QueryResult>
      <Group mt="sm">
        <LoadMore list={list}>Show more</LoadMore>
        <DownloadButton variant="default" leftSection={<IconDownload size={16} />} href="/api/client/suppressions?format=csv">
          Export CSV
        </DownloadButton>
        <ImportOptOuts />
      </Group>
    </TitledCard>
  );
}
