import { Alert, Button, Card, Group, Modal, Select, SimpleGrid, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useChanges } from '../api/changes';
import { api, ask, praise, type Schemas } from '../api/client';
import { Ago, number, State, NumberField } from '../components/bits';
import { Loaded, PageTitle } from '../components/states';

const PLANS = ['Growth', 'Pro', 'Starter'] as const;
type Plan = (typeof PLANS)[number];
/** One that was made and has nobody yet. */
interface Begun {
  id: number;
  name: string;
  plan: Plan;
}
type Key = Schemas['AllApiKeys']['api_keys'][number];

export function OperatorPage() {
  const queries = useQueryClient();
  const [creating, setCreating] = useState(false);
  const [begun, setBegun] = useState<Begun | null>(null);
  const [key, setKey] = useState<Key | null>(null);
  const overview = useQuery({ queryKey: ['overview'], queryFn: () => ask(api.GET('/api/admin/overview')), refetchInterval: 5_000 });
  const businesses = useQuery({ queryKey: ['businesses'], queryFn: () => ask(api.GET('/api/admin/businesses')) });
  const keys = useQuery({ queryKey: ['all-keys'], queryFn: () => ask(api.GET('/api/admin/api-keys')) });
  const change = useMutation({
    mutationFn: ({ id, plan }: { id: number; plan: Plan }) =>
      ask(api.PATCH('/api/admin/businesses/{id}', { params: { path: { id } }, body: { plan } })),
    onSuccess: ({ message }) => {
      praise(message);
      void queries.invalidateQueries();
    },
  });
  return (
    <>
      <PageTitle title="Operator" about="Businesses, limits and the state of the services">
        <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
          New business
        </Button>
      </PageTitle>
      <Title order={2} size="h4" mb="sm">
        Services
      </Title>
      <Loaded query={overview}>
        {({ services }) => (
          <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} mb="lg">
            {services.map(({ name, healthy, answered_in_ms, figures }) => (
              <Card key={name} withBorder padding="sm">
                <Group justify="space-between" wrap="nowrap">
                  <Text fw={600} size="sm">
                    {name}
                  </Text>
                  <State of={healthy ? 'succeeded' : 'failed'} label={healthy ? `${answered_in_ms} ms` : 'no answer'} />
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
      </Loaded>
      <GlobalLimit />
      <Title order={2} size="h4" mb="sm" mt="lg">
        Businesses
      </Title>
      <Loaded query={businesses}>
        {({ businesses: list }) => (
          <Table.ScrollContainer minWidth={560}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Name</Table.Th>
                  <Table.Th>Plan</Table.Th>
                  <Table.Th>Time zone</Table.Th>
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
                    <Table.Td>{new Date(business.created_at).toLocaleDateString()}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Loaded>
      <Title order={2} size="h4" mb="sm" mt="lg">
        API keys
      </Title>
      <Loaded query={keys}>
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
                      <Ago at={one.expires_at} />
                    </Table.Td>
                    <Table.Td>
                      {one.revoked_at ? (
                        <State of="failed" label="revoked" />
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
      </Loaded>
      <Modal opened={creating} onClose={() => setCreating(false)} title="New business">
        {creating && (
          <Create
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
        {key && <Limits apiKey={key} done={() => setKey(null)} />}
      </Modal>
    </>
  );
}

function GlobalLimit() {
  const queries = useQueryClient();
  const limits = useQuery({ queryKey: ['limits'], queryFn: () => ask(api.GET('/api/admin/limits')) });
  const [value, setValue] = useState<number | null>(null);
  const save = useMutation({
    mutationFn: (global_per_minute: number) => ask(api.PUT('/api/admin/limits', { body: { global_per_minute } })),
    onSuccess: ({ message }) => {
      praise(message);
      void queries.invalidateQueries({ queryKey: ['limits'] });
    },
  });
  return (
    <Loaded query={limits} rows={1}>
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
    </Loaded>
  );
}

function Limits({ apiKey, done }: { apiKey: Key; done: () => void }) {
  const queries = useQueryClient();
  const { per_minute_limit, daily_limit } = apiKey;
  // A limit that is sent holds whatever the plan becomes: one that was not changed goes on following the plan.
  const { draft, set, changes } = useChanges({ per_minute_limit, daily_limit });
  const save = useMutation({
    mutationFn: () =>
      ask(
        api.PATCH('/api/admin/api-keys/{id}', {
          params: { path: { id: apiKey.id } },
          body: changes,
        }),
      ),
    onSuccess: ({ message }) => {
      praise(message);
      void queries.invalidateQueries({ queryKey: ['all-keys'] });
      done();
    },
  });
  return (
    <Stack>
      <NumberField
        label="Requests a minute"
        min={1}
        max={100_000}
        value={draft.per_minute_limit}
        onChange={(value) => set({ per_minute_limit: value })}
      />
      <NumberField
        label="Messages a day"
        min={1}
        max={100_000}
        value={draft.daily_limit}
        onChange={(value) => set({ daily_limit: value })}
      />
      <Button loading={save.isPending} disabled={Object.keys(changes).length === 0} onClick={() => save.mutate()}>
        Save
      </Button>
    </Stack>
  );
}

function Create({ begun, begin, done }: { begun: Begun | null; begin: (begun: Begun) => void; done: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState(begun?.name ?? '');
  const [plan, setPlan] = useState<Plan>(begun?.plan ?? 'Growth');
  const [owner, setOwner] = useState({ email: '', name: '', password: '' });
  const create = useMutation({
    mutationFn: async () => {
      const { id } = begun ?? (await ask(api.POST('/api/admin/businesses', { body: { name, plan } })));
      // Should its owner be refused, only the owner is tried again.
      if (!begun) begin({ id, name, plan });
      await ask(api.POST('/api/admin/businesses/{id}/users', { params: { path: { id } }, body: { ...owner, role: 'owner' } }));
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['businesses'] }),
    onSuccess: () => {
      praise('The business and its owner were created.');
      done();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <Stack>
        {begun && <Alert color="yellow">{begun.name} was created; its owner is still to be.</Alert>}
        <TextInput label="Name" required disabled={begun !== null} value={name} onChange={(e) => setName(e.currentTarget.value)} />
        <Select
          label="Plan"
          data={[...PLANS]}
          value={plan}
          allowDeselect={false}
          disabled={begun !== null}
          onChange={(value) => value && setPlan(value as Plan)}
        />
        <TextInput label="Owner’s name" required value={owner.name} onChange={(e) => setOwner({ ...owner, name: e.currentTarget.value })} />
        <TextInput
          label="Owner’s email"
          type="email"
          required
          value={owner.email}
          onChange={(e) => setOwner({ ...owner, email: e.currentTarget.value })}
        />
        <TextInput
          label="Owner’s first password"
          type="password"
          required
          minLength={8}
          value={owner.password}
          onChange={(e) => setOwner({ ...owner, password: e.currentTarget.value })}
        />
        <Button type="submit" loading={create.isPending}>
          Create
        </Button>
      </Stack>
    </form>
  );
}
