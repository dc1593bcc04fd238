import {
  Alert,
  Button,
  Card,
  Grid,
  Group,
  PasswordInput,
  Select,
  Stack,
  Switch,
  Table,
  TagsInput,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useChanges } from '../api/changes';
import { api, ask, praise, type Schemas } from '../api/client';
import { useMe } from '../api/session';
import { Ago, Copy, State } from '../components/bits';
import { More, usePages } from '../components/pages';
import { Empty, Loaded, PageTitle } from '../components/states';

export function SettingsPage() {
  const connection = useQuery({ queryKey: ['connection'], queryFn: () => ask(api.GET('/api/client/connection')), refetchInterval: 4_000 });
  const settings = useQuery({ queryKey: ['settings'], queryFn: () => ask(api.GET('/api/client/settings')) });
  return (
    <>
      <PageTitle title="Settings" about="Connection, time zone, opt-outs, team" />
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Loaded query={connection}>{(data) => <Connection connection={data} />}</Loaded>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack>
            <Loaded query={settings}>{(data) => <Rules settings={data} />}</Loaded>
            <Suppressions />
            <Team />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}

function Connection({ connection }: { connection: Schemas['Connection'] }) {
  const queries = useQueryClient();
  const { user } = useMe();
  const disabled = user.role !== 'owner';
  const { phone_number_id, business_account_id } = connection;
  const { draft, set, done } = useChanges({ phone_number_id: phone_number_id ?? '', business_account_id: business_account_id ?? '' });
  const [secrets, setSecrets] = useState({ access_token: '', app_secret: '', verify_token: '' });
  const save = useMutation({
    mutationFn: (ids: typeof draft) => {
      const given = Object.fromEntries(Object.entries(secrets).filter(([, value]) => value !== ''));
      return ask(api.PUT('/api/client/connection', { body: { ...ids, ...given } }));
    },
    onSuccess: async ({ message }, ids) => {
      praise(message);
      setSecrets({ access_token: '', app_secret: '', verify_token: '' });
      await queries.invalidateQueries({ queryKey: ['connection'] });
      done(ids);
    },
  });
  const secret = (name: keyof typeof secrets, label: string, description: string) => (
    <PasswordInput
      label={label}
      description={description}
      autoComplete="off"
      disabled={disabled}
      value={secrets[name]}
      onChange={(e) => setSecrets({ ...secrets, [name]: e.currentTarget.value })}
    />
  );
  return (
    <Card withBorder>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h5">
          WhatsApp connection
        </Title>
        <Group gap="xs">
          <State of={connection.status} />
          <Text size="sm" c="dimmed">
            checked <Ago at={connection.checked_at} />
          </Text>
        </Group>
      </Group>
      {connection.problem && (
        <Alert color="red" mb="sm">
          {connection.problem}
        </Alert>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(draft);
        }}
      >
        <Stack>
          <TextInput
            label="Phone number id"
            required
            disabled={disabled}
            value={draft.phone_number_id}
            onChange={(e) => set({ phone_number_id: e.currentTarget.value })}
          />
          <TextInput
            label="Business account id"
            required
            disabled={disabled}
            value={draft.business_account_id}
            onChange={(e) => set({ business_account_id: e.currentTarget.value })}
          />
          {secret('access_token', 'Access token', 'Of a system user; never shown again')}
          {secret('app_secret', 'App secret', 'Signs what WhatsApp sends us; never shown again')}
          {secret('verify_token', 'New verify token', 'Any word; the one in use is shown below')}
          <Button type="submit" loading={save.isPending} disabled={disabled}>
            Save and check
          </Button>
        </Stack>
      </form>
      <Title order={3} size="h6" mt="lg" mb={4}>
        To paste into Meta’s console
      </Title>
      <Paste label="Callback URL" value={connection.callback_url} />
      <Paste label="Verify token" value={connection.verify_token ?? '–'} />
    </Card>
  );
}

function Paste({ label, value }: { label: string; value: string }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Group gap={4} wrap="nowrap">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {value}
        </Text>
        <Copy value={value} label={`Copy the ${label.toLowerCase()}`} />
      </Group>
    </Group>
  );
}

function Rules({ settings }: { settings: Schemas['Settings'] }) {
  const queries = useQueryClient();
  const { user } = useMe();
  const disabled = user.role !== 'owner';
  const { draft, set, changes, done } = useChanges(settings);
  const save = useMutation({
    mutationFn: (sent: typeof changes) => ask(api.PUT('/api/client/settings', { body: sent })),
    onSuccess: async ({ message }, sent) => {
      praise(message);
      await Promise.all(['settings', 'me'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
      done(sent);
    },
  });
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="sm">
        Rules
      </Title>
      <Stack>
        <Select
          label="Time zone"
          description="Its midnight starts the daily limits again"
          searchable
          data={
            Intl.supportedValuesOf('timeZone').includes(draft.timezone)
              ? Intl.supportedValuesOf('timeZone')
              : [draft.timezone, ...Intl.supportedValuesOf('timeZone')]
          }
          value={draft.timezone}
          disabled={disabled}
          onChange={(timezone) => timezone && set({ timezone })}
        />
        <TagsInput
          label="Words that opt out"
          description="When they are a customer’s whole message"
          value={draft.stop_words}
          disabled={disabled}
          onChange={(stop_words) => set({ stop_words })}
        />
        <TagsInput
          label="Words that opt in again"
          value={draft.start_words}
          disabled={disabled}
          onChange={(start_words) => set({ start_words })}
        />
        <Switch
          label="Send one-time passwords also to people who opted out"
          checked={draft.otp_to_opted_out}
          disabled={disabled}
          onChange={(e) => set({ otp_to_opted_out: e.currentTarget.checked })}
        />
        <Button loading={save.isPending} disabled={disabled} onClick={() => save.mutate(changes)}>
          Save
        </Button>
      </Stack>
    </Card>
  );
}

const STATES = [
  { value: 'opted_out', label: 'opted out of everything' },
  { value: 'opted_out_marketing', label: 'opted out of marketing' },
  { value: 'blocked', label: 'blocked' },
];

function Suppressions() {
  const queries = useQueryClient();
  const [phone, setPhone] = useState('');
  const [state, setState] = useState<string>('opted_out');
  const list = usePages({
    queryKey: ['suppressions'],
    load: (query) => ask(api.GET('/api/client/suppressions', { params: { query } })),
    rows: (page) => page.suppressions,
  });
  const done = ({ message }: { message: string }) => {
    praise(message);
    setPhone('');
    void queries.invalidateQueries({ queryKey: ['suppressions'] });
  };
  const add = useMutation({
    mutationFn: () =>
      ask(api.PUT('/api/client/suppressions/{phone}', { params: { path: { phone } }, body: { state: state as 'blocked' } })),
    onSuccess: done,
  });
  const lift = useMutation({
    mutationFn: (whose: string) => ask(api.DELETE('/api/client/suppressions/{phone}', { params: { path: { phone: whose } } })),
    onSuccess: done,
  });
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="sm">
        People who are not written to
      </Title>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <Group align="flex-end" mb="sm">
          <TextInput label="Phone" required value={phone} onChange={(e) => setPhone(e.currentTarget.value)} />
          <Select label="State" data={STATES} value={state} allowDeselect={false} onChange={(value) => value && setState(value)} />
          <Button type="submit" variant="default" loading={add.isPending}>
            Add
          </Button>
        </Group>
      </form>
      <Loaded query={list} rows={2}>
        {(suppressions) =>
          suppressions.length === 0 ? (
            <Empty title="Nobody">Who writes STOP, or opts out in WhatsApp, is listed here and no longer written to.</Empty>
          ) : (
            <Table>
              <Table.Tbody>
                {suppressions.map((one) => (
                  <Table.Tr key={one.phone}>
                    <Table.Td>
                      <Text size="sm">{one.phone}</Text>
                      <Text size="xs" c="dimmed">
                        {one.state.replaceAll('_', ' ')}, by {one.source === 'dashboard' ? 'you' : one.source}, <Ago at={one.since} />
                      </Text>
                    </Table.Td>
                    <Table.Td ta="right">
                      <Button
                        size="compact-sm"
                        variant="default"
                        onClick={() => window.confirm(`May ${one.phone} be written to again?`) && lift.mutate(one.phone)}
                      >
                        Lift
                      </Button>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </Loaded>
      <Group mt="sm">
        <More list={list}>Show more</More>
      </Group>
    </Card>
  );
}

function Team() {
  const queries = useQueryClient();
  const { user } = useMe();
  const isOwner = user.role === 'owner';
  const nobody = { name: '', email: '', password: '', role: 'member' as 'owner' | 'member' };
  const [person, setPerson] = useState(nobody);
  const list = useQuery({ queryKey: ['team'], queryFn: () => ask(api.GET('/api/client/team')) });
  const done = ({ message }: { message: string }) => {
    praise(message);
    setPerson(nobody);
    void queries.invalidateQueries({ queryKey: ['team'] });
  };
  const add = useMutation({ mutationFn: () => ask(api.POST('/api/client/team', { body: person })), onSuccess: done });
  const remove = useMutation({
    mutationFn: (id: number) => ask(api.DELETE('/api/client/team/{id}', { params: { path: { id } } })),
    onSuccess: done,
  });
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="sm">
        Team
      </Title>
      <Loaded query={list} rows={2}>
        {({ users }) => (
          <Table mb="sm">
            <Table.Tbody>
              {users.map((one) => (
                <Table.Tr key={one.id}>
                  <Table.Td>
                    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                      {one.name}
                    </Text>
                    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                      {one.email}
                    </Text>
                  </Table.Td>
                  <Table.Td>{one.role}</Table.Td>
                  <Table.Td ta="right">
                    {isOwner && one.id !== user.id && (
                      <Button
                        size="compact-sm"
                        color="red"
                        variant="light"
                        onClick={() => window.confirm(`Remove ${one.name}?`) && remove.mutate(one.id)}
                      >
                        Remove
                      </Button>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Loaded>
      {isOwner && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            add.mutate();
          }}
        >
          <Stack gap="xs">
            <TextInput
              label="New person’s name"
              required
              value={person.name}
              onChange={(e) => setPerson({ ...person, name: e.currentTarget.value })}
            />
            <TextInput
              label="Their email"
              type="email"
              required
              value={person.email}
              onChange={(e) => setPerson({ ...person, email: e.currentTarget.value })}
            />
            <PasswordInput
              label="Their first password"
              autoComplete="new-password"
              required
              minLength={8}
              value={person.password}
              onChange={(e) => setPerson({ ...person, password: e.currentTarget.value })}
            />
            <Select
              label="Role"
              data={['member', 'owner']}
              value={person.role}
              allowDeselect={false}
              onChange={(role) => role && setPerson({ ...person, role: role as 'owner' | 'member' })}
            />
            <Button type="submit" variant="default" loading={add.isPending}>
              Add to the team
            </Button>
          </Stack>
        </form>
      )}
    </Card>
  );
}
