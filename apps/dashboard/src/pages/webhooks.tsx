import { Button, Card, Checkbox, Code, Drawer, Group, Menu, Modal, Select, Stack, Switch, Table, Text, TextInput } from '@mantine/core';
import { IconDots, IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { changed } from '../api/changes';
import { api, ask, praise, type Schemas } from '../api/client';
import { useMe } from '../api/session';
import { Ago, State } from '../components/bits';
import { More, usePages } from '../components/pages';
import { Empty, Loaded, PageTitle } from '../components/states';

const route = getRouteApi('/inside/webhooks');
const EVENTS = ['message.received', 'message.sent', 'conversation.created', 'broadcast.completed', 'ai.replied'] as const;
type EventName = (typeof EVENTS)[number];
type Webhook = Schemas['Webhooks']['webhooks'][number];
const JSON_TYPE = { 'content-type': 'application/json' };

export function WebhooksPage() {
  const search = route.useSearch() as { id?: string };
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const { user } = useMe();
  const [editing, edit] = useState<Webhook | 'new' | null>(null);
  const refresh = () => void queries.invalidateQueries({ queryKey: ['webhooks'] });
  const list = useQuery({ queryKey: ['webhooks'], queryFn: () => ask(api.GET('/api/client/webhooks')), refetchInterval: 4_000 });
  const toggle = useMutation({
    mutationFn: ({ id, is_active }: { id: number; is_active: boolean }) =>
      ask(api.PUT('/api/client/webhooks/{id}', { params: { path: { id } }, body: { is_active } })),
    onSuccess: refresh,
  });
  const test = useMutation({
    mutationFn: (id: number) => ask(api.POST('/api/client/webhooks/{id}/test', { params: { path: { id } }, body: {} })),
    onSuccess: ({ message }, id) => {
      praise(message);
      void navigate({ search: { id: String(id) } });
    },
  });
  const remove = useMutation({
    mutationFn: (id: number) => ask(api.DELETE('/api/client/webhooks/{id}', { params: { path: { id } } })),
    onSuccess: () => {
      praise('The webhook was deleted.');
      refresh();
    },
  });
  const isOwner = user.role === 'owner';
  return (
    <>
      <PageTitle title="Webhooks" about="Your server hears of messages the moment they happen">
        {isOwner && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => edit('new')}>
            Add a webhook
          </Button>
        )}
      </PageTitle>
      <Loaded query={list}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty title="No webhook yet">
              Give an HTTPS address of your server. It gets a signed POST for each event and answers 200 within 10 seconds.
            </Empty>
          ) : (
            <Stack>
              {webhooks.map((webhook) => (
                <Card key={webhook.id} withBorder>
                  <Group justify="space-between" align="flex-start">
                    <div style={{ flex: '1 1 240px', minWidth: 0, overflowWrap: 'anywhere' }}>
                      <Text fw={600}>{webhook.name}</Text>
                      <Text size="sm">{webhook.url}</Text>
                      <Text size="sm" c="dimmed">
                        {webhook.events.join(', ')} · secret {webhook.has_secret ? 'set' : 'not set'} · last triggered{' '}
                        <Ago at={webhook.last_triggered_at} />
                      </Text>
                    </div>
                    <Group gap="xs" wrap="nowrap">
                      {webhook.fail_count > 0 ? (
                        <State of="failed" label={`${webhook.fail_count} failures in a row`} />
                      ) : (
                        <State of="succeeded" label="healthy" />
                      )}
                      <Switch
                        aria-label={`${webhook.name} is active`}
                        checked={webhook.is_active === 1}
                        disabled={!isOwner}
                        onChange={(e) => toggle.mutate({ id: webhook.id, is_active: e.currentTarget.checked })}
                      />
                      <Menu position="bottom-end">
                        <Menu.Target>
                          <Button variant="default" size="compact-md" aria-label={`More of ${webhook.name}`}>
                            <IconDots size={16} />
                          </Button>
                        </Menu.Target>
                        <Menu.Dropdown>
                          <Menu.Item onClick={() => void navigate({ search: { id: String(webhook.id) } })}>Deliveries</Menu.Item>
                          <Menu.Item onClick={() => test.mutate(webhook.id)}>Send a test event</Menu.Item>
                          {isOwner && <Menu.Item onClick={() => edit(webhook)}>Edit</Menu.Item>}
                          {isOwner && (
                            <Menu.Item
                              color="red"
                              onClick={() => window.confirm(`Delete ${webhook.name} for good?`) && remove.mutate(webhook.id)}
                            >
                              Delete
                            </Menu.Item>
                          )}
                        </Menu.Dropdown>
                      </Menu>
                    </Group>
                  </Group>
                </Card>
              ))}
            </Stack>
          )
        }
      </Loaded>
      <Modal opened={editing !== null} onClose={() => edit(null)} title={editing === 'new' ? 'Add a webhook' : 'Edit the webhook'}>
        {editing !== null && (
          <Edit
            webhook={editing === 'new' ? null : editing}
            done={() => {
              edit(null);
              refresh();
            }}
          />
        )}
      </Modal>
      <Drawer opened={search.id !== undefined} onClose={() => void navigate({ search: {} })} position="right" size="xl" title="Deliveries">
        {search.id !== undefined && <Deliveries id={Number(search.id)} />}
      </Drawer>
    </>
  );
}

function Edit({ webhook, done }: { webhook: Webhook | null; done: () => void }) {
  const [name, setName] = useState(webhook?.name ?? '');
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState<EventName[]>((webhook?.events ?? [...EVENTS]) as EventName[]);
  const [secret, setSecret] = useState('');
  const [dropSecret, setDropSecret] = useState(false);
  const save = useMutation({
    mutationFn: async () => {
      const fields = { name, url, events };
      const given = secret && { secret };
      if (webhook === null) await ask(api.POST('/api/client/webhooks', { body: { ...fields, ...given } }));
      else {
        const before = { name: webhook.name, url: webhook.url, events: webhook.events as EventName[] };
        await ask(
          api.PUT('/api/client/webhooks/{id}', {
            params: { path: { id: webhook.id } },
            body: { ...changed(before, fields), ...given, ...(dropSecret && { secret: null }) },
          }),
        );
      }
    },
    onSuccess: () => {
      praise('The webhook was saved.');
      done();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack>
        <TextInput label="Name" required value={name} onChange={(e) => setName(e.currentTarget.value)} />
        <TextInput
          label="Address"
          required
          placeholder="https://crm.example.com/whatsapp"
          value={url}
          onChange={(e) => setUrl(e.currentTarget.value)}
        />
        <Checkbox.Group label="Events" value={events} onChange={(value) => setEvents(value as EventName[])}>
          <Stack gap={6} mt={4}>
            {EVENTS.map((event) => (
              <Checkbox key={event} value={event} label={event} />
            ))}
          </Stack>
        </Checkbox.Group>
        <TextInput
          label="Signing secret"
          description={
            webhook?.has_secret
              ? 'One is set. It is never shown; write a new one to replace it.'
              : 'Optional; with it every delivery carries X-Service-Signature.'
          }
          value={secret}
          disabled={dropSecret}
          onChange={(e) => setSecret(e.currentTarget.value)}
        />
        {webhook?.has_secret && (
          <Checkbox label="Remove the secret" checked={dropSecret} onChange={(e) => setDropSecret(e.currentTarget.checked)} />
        )}
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
      </Stack>
    </form>
  );
}

function Deliveries({ id }: { id: number }) {
  const queries = useQueryClient();
  const [state, setState] = useState<string | null>(null);
  const [open, setOpen] = useState<number | null>(null);
  const list = usePages({
    queryKey: ['webhooks', id, state],
    load: (page) => {
      const query = { ...page, ...(state && { state: state as 'failed' }) };
      return ask(api.GET('/api/client/webhooks/{id}/deliveries', { params: { path: { id }, query } }));
    },
    rows: (page) => page.deliveries,
    refetchInterval: 2_000,
  });
  const again = useMutation({
    mutationFn: (delivery_id: number) =>
      ask(
        api.POST('/api/client/webhooks/{id}/deliveries/{delivery_id}/redeliver', {
          params: { path: { id, delivery_id } },
          headers: JSON_TYPE,
        }),
      ),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['webhooks', id] }),
  });
  return (
    <Stack>
      <Select
        aria-label="State"
        clearable
        placeholder="All states"
        data={['succeeded', 'failed', 'skipped', 'pending', 'running']}
        value={state}
        onChange={setState}
      />
      <Loaded query={list}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <Empty title="Nothing was delivered yet">Send a test event, or wait for the next message.</Empty>
          ) : (
            <Table.ScrollContainer minWidth={560}>
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>When</Table.Th>
                    <Table.Th>Event</Table.Th>
                    <Table.Th>State</Table.Th>
                    <Table.Th>Answer</Table.Th>
                    <Table.Th>
                      <span style={{ position: 'absolute', left: -9999 }}>Actions</span>
                    </Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {deliveries.map((delivery) => (
                    <Table.Tr key={delivery.id}>
                      <Table.Td>
                        <Ago at={delivery.created_at} />
                      </Table.Td>
                      <Table.Td>
                        <Text size="sm">{delivery.event}</Text>
                        {open === delivery.id && (
                          <Code block mt="xs" style={{ maxWidth: 380, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                            {JSON.stringify(delivery.payload, null, 2)}
                          </Code>
                        )}
                      </Table.Td>
                      <Table.Td>
                        <State of={delivery.state} />
                      </Table.Td>
                      <Table.Td>
                        <Text size="sm">
                          {[delivery.response_code, delivery.duration_ms !== null && `${delivery.duration_ms} ms`, delivery.reason]
                            .filter(Boolean)
                            .join(' · ') || '–'}
                        </Text>
                      </Table.Td>
                      <Table.Td>
                        <Group gap={6} wrap="nowrap">
                          <Button size="compact-xs" variant="default" onClick={() => setOpen(open === delivery.id ? null : delivery.id)}>
                            {open === delivery.id ? 'Hide' : 'Payload'}
                          </Button>
                          <Button size="compact-xs" variant="light" onClick={() => again.mutate(delivery.id)}>
                            Redeliver
                          </Button>
                        </Group>
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )
        }
      </Loaded>
      <More list={list}>Older deliveries</More>
    </Stack>
  );
}
