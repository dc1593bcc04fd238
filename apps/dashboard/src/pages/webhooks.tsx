import {
  Box,
  Button,
  Card,
  Checkbox,
  Code,
  Drawer,
  Group,
  Menu,
  Modal,
  Paper,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { IconDots, IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { changed } from '../api/changes';
import { api, ask, praise, type Schemas } from '../api/client';
import { useMe } from '../api/session';
import { Ago, number, Snippet, State } from '../components/bits';
import { quoted } from '../components/command-line';
import { More, usePages } from '../components/pages';
import { Empty, Loaded, PageTitle } from '../components/states';

const route = getRouteApi('/inside/webhooks');
const EVENTS = ['message.received', 'message.sent', 'conversation.created', 'broadcast.completed', 'ai.replied'] as const;
type EventName = (typeof EVENTS)[number];
type Delivery = Schemas['Deliveries']['deliveries'][number];
type Webhook = Schemas['Webhooks']['webhooks'][number];
const WRAPPED = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;
const JSON_TYPE = { 'content-type': 'application/json' };

export function WebhooksPage() {
  const search = route.useSearch() as { id?: string; new?: string };
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const { user } = useMe();
  const [edited, edit] = useState<Webhook | null>(null);
  const refresh = () => void queries.invalidateQueries({ queryKey: ['webhooks'] });
  const list = useQuery({ queryKey: ['webhooks'], queryFn: () => ask(api.GET('/api/client/webhooks')), refetchInterval: 4_000 });
  const toggle = useMutation({
    mutationFn: ({ id, is_active }: { id: number; is_active: boolean }) =>
      ask(api.PUT('/api/client/webhooks/{id}', { params: { path: { id } }, body: { is_active } })),
    onSuccess: refresh,
  });
  const remove = useMutation({
    mutationFn: (id: number) => ask(api.DELETE('/api/client/webhooks/{id}', { params: { path: { id } } })),
    onSuccess: () => {
      praise('The webhook was deleted.');
      refresh();
    },
  });
  const isOwner = user.role === 'owner';
  const isNew = isOwner && search.new !== undefined;
  const close = () => {
    edit(null);
    void navigate({ search: {} });
  };
  return (
    <>
      <PageTitle title="Webhooks" about="Your server hears of messages the moment they happen">
        {isOwner && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => void navigate({ search: { new: 'yes' } })}>
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
                      ) : webhook.is_active !== 1 ? (
                        <State of="pending" label="off" />
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
                          <Menu.Item onClick={() => void navigate({ search: { id: String(webhook.id) } })}>
                            Deliveries and test events
                          </Menu.Item>
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
      <Modal opened={isNew || edited !== null} onClose={close} title={isNew ? 'Add a webhook' : 'Edit the webhook'}>
        {(isNew || edited !== null) && (
          <Edit
            webhook={edited}
            done={() => {
              close();
              refresh();
            }}
          />
        )}
      </Modal>
      <Drawer opened={search.id !== undefined} onClose={() => void navigate({ search: {} })} position="right" size="xl" title="Deliveries">
        {search.id !== undefined && (
          <Deliveries id={Number(search.id)} wanted={list.data?.webhooks.find(({ id }) => id === Number(search.id))?.events ?? EVENTS} />
        )}
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

/** What one webhook was sent, and test events. @param wanted the events that it has asked for */
function Deliveries({ id, wanted }: { id: number; wanted: readonly string[] }) {
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
  const refresh = () => void queries.invalidateQueries({ queryKey: ['webhooks', id] });
  const again = useMutation({
    mutationFn: (delivery_id: number) =>
      ask(
        api.POST('/api/client/webhooks/{id}/deliveries/{delivery_id}/redeliver', {
          params: { path: { id, delivery_id } },
          headers: JSON_TYPE,
        }),
      ),
    onSuccess: refresh,
  });
  const isOpen = (delivery: Delivery) => open === delivery.id;
  return (
    <Stack>
      <TestEvent
        id={id}
        wanted={wanted}
        onSent={(delivery_id) => {
          setState(null);
          setOpen(delivery_id);
          refresh();
        }}
      />
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
          deliveries.length === 0 && state ? (
            <Empty title="Nothing matches">No delivery of the last 30 days is in this state.</Empty>
          ) : deliveries.length === 0 ? (
            <Empty title="Nothing was delivered yet">Send a test event, or wait for the next message.</Empty>
          ) : (
            <Stack gap="xs" role="list">
              {deliveries.map((delivery) => (
                <Paper key={delivery.id} withBorder p="sm" radius="md" role="listitem">
                  <Group justify="space-between">
                    <div style={{ flex: '1 1 220px', minWidth: 0 }}>
                      <Group gap="xs">
                        <Text size="sm" fw={600}>
                          {delivery.event}
                        </Text>
                        <State of={delivery.state} />
                      </Group>
                      <Text size="sm" c="dimmed">
                        <Ago at={delivery.created_at} />
                      </Text>
                      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                        {[delivery.response_code, delivery.duration_ms !== null && `${delivery.duration_ms} ms`, delivery.reason]
                          .filter(Boolean)
                          .join(' · ')}
                      </Text>
                    </div>
                    <Group gap={6} wrap="nowrap">
                      <Button
                        size="compact-xs"
                        variant="default"
                        aria-expanded={isOpen(delivery)}
                        onClick={() => setOpen(isOpen(delivery) ? null : delivery.id)}
                      >
                        {isOpen(delivery) ? 'Hide' : 'Payload'}
                      </Button>
                      <Button
                        size="compact-xs"
                        variant="light"
                        loading={again.isPending && again.variables === delivery.id}
                        onClick={() => again.mutate(delivery.id)}
                      >
                        Redeliver
                      </Button>
                    </Group>
                  </Group>
                  {isOpen(delivery) && (
                    <Box mt="sm">
                      <Sent delivery={delivery} />
                    </Box>
                  )}
                </Paper>
              ))}
            </Stack>
          )
        }
      </Loaded>
      <More list={list}>Older deliveries</More>
    </Stack>
  );
}

interface TestEventProps {
  id: number;
  wanted: readonly string[];
  onSent: (delivery_id: number) => void;
}

/** A sample of any event, also of one that the webhook has not asked for: a receiver is built before it is told of more. */
function TestEvent({ id, wanted, onSent }: TestEventProps) {
  const [chosen, choose] = useState<EventName | null>(null);
  const event = chosen ?? EVENTS.find((name) => wanted.includes(name)) ?? EVENTS[0];
  const test = useMutation({
    mutationFn: () => ask(api.POST('/api/client/webhooks/{id}/test', { params: { path: { id } }, body: { event } })),
    onSuccess: ({ delivery_id }) => onSent(delivery_id),
  });
  return (
    <Group align="flex-end">
      <Select
        label="Sample of"
        description={wanted.includes(event) ? undefined : 'This webhook has not asked for this event; only the test is sent.'}
        allowDeselect={false}
        data={EVENTS}
        value={event}
        onChange={(name) => choose(name as EventName)}
        style={{ flex: '1 1 200px' }}
      />
      <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
        Send test event
      </Button>
    </Group>
  );
}

/** What went out: of what a person asked for the whole request, else the JSON. */
function Sent({ delivery: { request, payload } }: { delivery: Delivery }) {
  if (!request)
    return (
      <Code block style={WRAPPED}>
        {JSON.stringify(payload, null, 2)}
      </Code>
    );
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  const curl = [`curl -i ${quoted(request.url)}`, ...headers.map((line) => `-H ${quoted(line)}`), `--data-raw ${quoted(request.body)}`];
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        Headers
      </Text>
      <Code block style={WRAPPED}>
        {headers.join('\n')}
      </Code>
      <Text size="sm" fw={600}>
        Body, {number(new TextEncoder().encode(request.body).length)} bytes
      </Text>
      <Code block style={WRAPPED}>
        {request.body}
      </Code>
      <Text size="sm" fw={600}>
        The same request again
      </Text>
      <Snippet text={curl.join(' \\\n  ')} label="Copy the curl line" />
    </Stack>
  );
}
