import { Button, Card, Group, Modal, Select, SimpleGrid, Table, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request, notifySuccess } from '../../api/client';
import { number } from '../../components/format-number';
import { RelativeTime } from '../../components/relative-time';
import { StateBadge } from '../../components/state-badge';
import { QueryResult } from '../../components/query-result';
import { PageTitle } from '../../components/page-title';
import { type NewBusiness, type Plan, PLANS } from './plans';
import { type Key, KeyLimits } from './key-limits';
import { GlobalLimitForm } from './global-limit-form';
import { CreateBusiness } from './create-business';

export function OperatorPage() {
  const queries = useQueryClient();
  const [creating, setCreating] = useState(false);
  const [begun, setBegun] = useState<NewBusiness | null>(null);
  const [key, setKey] = useState<Key | null>(null);
  const overview = useQuery({ queryKey: ['overview'], queryFn: () => request(api.GET('/api/admin/overview')), refetchInterval: 5_000 });
  const businesses = useQuery({ queryKey: ['businesses'], queryFn: () => request(api.GET('/api/admin/businesses')) });
  const keys = useQuery({ queryKey: ['all-keys'], queryFn: () => request(api.GET('/api/admin/api-keys')) });
  const change = useMutation({
    mutationFn: ({ id, plan }: { id: number; plan: Plan }) =>
      request(api.PATCH('/api/admin/businesses/{id}', { params: { path: { id } }, body: { plan } })),
    onSuccess: ({ message }) => {
      notifySuccess(message);
      void queries.invalidateQueries();
    },
  });
  return (
    <>
      <PageTitle title="Operator" about="Businesses, limits and service health">
        <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
          New business
        </Button>
      </PageTitle>
      <Title order={2} size="h4" mb="sm">
        Services
      </Title>
      <QueryResult query={overview}>
        {({ services }) => (
          <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} mb="lg">
            {services.map(({ name, healthy, answered_in_ms, figures }) => (
              <Card key={name} withBorder padding="sm">
                <Group justify="space-between" wrap="nowrap">
                  <Text fw={600} size="sm">
                    {name}
                  </Text>
                  <StateBadge of={healthy ? 'succeeded' : 'failed'} label={healthy ? `${answered_in_ms} ms` : 'no response'} />
                </Group>
                {Object.entries(figures).map(([label, value]) => (
                  <Group key={label} justify="space-between" wrap="nowrap">
                    <Text size="xs" c="dimmed">
                      {label.replaceAll('_', ' ')}
                    </Text>
                    <Text size="xs" fw={value > 0 && /dead|failing|problem|failed/.test(label) ? 700 : 400}>
                      {number(Math.round(value))}
                    </Text>
                  </Group>
                ))}
              </Card>
            ))}
          </SimpleGrid>
        )}
      </QueryResult>
      <GlobalLimitForm />
      <Title order={2} size="h4" mb="sm" mt="lg">
        Businesses
      </Title>
      <QueryResult query={businesses}>
        {({ businesses: list }) => (
          <Table.ScrollContainer minWidth={560}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Name</Table.Th>
                  <Table.Th>Plan</Table.Th>
                  <Table.Th>Time zone</Table.Th>
                  <Table.Th ta="right">Broadcast recipients a day</Table.Th>
                  <Table.Th>Since</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {list.map((business) => (
                  <Table.Tr key={business.id}>
                    <Table.Td>{business.name}</Table.Td>
                    <Table.Td>
                      <Select
                        aria-label={`Plan of ${business.name}`}
                        w={130}
                        data={[...PLANS]}
                        value={business.plan}
                        allowDeselect={false}
                        onChange={(plan) => plan && change.mutate({ id: business.id, plan: plan as Plan })}
                      />
                    </Table.Td>
                    <Table.Td>{business.timezone}</Table.Td>
                    <Table.Td ta="right">{number(business.broadcast_daily_limit)}</Table.Td>
                    <Table.Td>{new Date(business.created_at).toLocaleDateString()}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </QueryResult>
      <Title order={2} size="h4" mb="sm" mt="lg">
        API keys
      </Title>
      <QueryResult query={keys}>
        {({ api_keys }) => (
          <Table.ScrollContainer minWidth={640}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Business</Table.Th>
                  <Table.Th>Key</Table.Th>
                  <Table.Th ta="right">A minute</Table.Th>
                  <Table.Th ta="right">A day</Table.Th>
                  <Table.Th ta="right">Today</Table.Th>
                  <Table.Th>Expires</Table.Th>
                  <Table.Th>Limits</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {api_keys.map((one) => (
                  <Table.Tr key={one.id}>
                    <Table.Td>{businesses.data?.businesses.find(({ id }) => id === one.business_id)?.name ?? one.business_id}</Table.Td>
                    <Table.Td>{one.name}</Table.Td>
                    <Table.Td ta="right">{number(one.per_minute_limit)}</Table.Td>
                    <Table.Td ta="right">{number(one.daily_limit)}</Table.Td>
                    <Table.Td ta="right">{one.used_today === null ? '?' : number(one.used_today)}</Table.Td>
                    <Table.Td>
                      <RelativeTime at={one.expires_at} />
                    </Table.Td>
                    <Table.Td>
                      {one.revoked_at ? (
                        <StateBadge of="failed" label="revoked" />
                      ) : (
                        <Button size="compact-sm" variant="default" onClick={() => setKey(one)}>
                          Change
                        </Button>
                      )}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </QueryResult>
      <Modal opened={creating} onClose={() => setCreating(false)} title="New business">
        {creating && (
          <CreateBusiness
            begun={begun}
            begin={setBegun}
            done={() => {
              setBegun(null);
              setCreating(false);
            }}
          />
        )}
      </Modal>
      <Modal opened={key !== null} onClose={() => setKey(null)} title={`Limits of ${key?.name ?? ''}`}>
        {key && <KeyLimits apiKey={key} done={() => setKey(null)} />}
      </Modal>
    </>
  );
}
