import { Alert, Anchor, Button, Checkbox, Group, Modal, Progress, Stack, Table, Text, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ask, praise } from '../api/client';
import { keysQuery } from '../api/keys';
import { useMe } from '../api/session';
import { Ago, number, Snippet, State } from '../components/bits';
import { Empty, Loaded, PageTitle } from '../components/states';

const route = getRouteApi('/inside/api-keys');
const PERMISSIONS = ['send_template', 'send_text', 'send_media', 'send_otp'] as const;
type Permission = (typeof PERMISSIONS)[number] | '*';
interface NewKey {
  name: string;
  permissions: Permission[];
}

export function ApiKeysPage() {
  const queries = useQueryClient();
  const { user, business } = useMe();
  const search = route.useSearch() as { new?: string };
  const navigate = route.useNavigate();
  const list = useQuery({ ...keysQuery, refetchInterval: 10_000 });
  const revoke = useMutation({
    mutationFn: (id: number) => ask(api.DELETE('/api/client/api-keys/{id}', { params: { path: { id } } })),
    onSuccess: ({ message }) => {
      praise(message);
      void queries.invalidateQueries({ queryKey: ['api-keys'] });
    },
  });
  const create = useMutation({
    mutationFn: (body: NewKey) => ask(api.POST('/api/client/api-keys', { body })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['api-keys'] }),
  });
  const close = () => {
    void navigate({ search: {} });
    create.reset();
  };
  // A fresh key is shown this once: only its own button closes it (friendliness §6).
  const mayClose = !create.isPending && !create.data;
  const isOwner = user.role === 'owner';
  const creating = isOwner && search.new !== undefined;
  return (
    <>
      <PageTitle title="API & Integrations" about="Keys for your CRM, website or backend">
        <Button component="a" href="/docs" target="_blank" variant="default">
          API reference
        </Button>
        {isOwner && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => void navigate({ search: { new: 'yes' } })}>
            Create a key
          </Button>
        )}
      </PageTitle>
      {business?.plan === 'Starter' && (
        <Alert color="yellow" mb="md" title="The Starter plan cannot send through the API">
          Keys of this plan can read templates, health and statuses.
        </Alert>
      )}
      <Loaded query={list}>
        {({ api_keys }) =>
          api_keys.length === 0 ? (
            <Empty title="No API key yet">
              Create one, copy it at once, and send your first message as the <Anchor href="/docs">API reference</Anchor> shows.
            </Empty>
          ) : (
            <Table.ScrollContainer minWidth={820}>
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Name</Table.Th>
                    <Table.Th>Key</Table.Th>
                    <Table.Th>Permissions</Table.Th>
                    <Table.Th>Today</Table.Th>
                    <Table.Th>A minute</Table.Th>
                    <Table.Th>Last used</Table.Th>
                    <Table.Th>Expires</Table.Th>
                    <Table.Th>State</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {api_keys.map((key) => (
                    <Table.Tr key={key.id}>
                      <Table.Td>{key.name}</Table.Td>
                      <Table.Td>
                        <code>
                          {key.prefix}…{key.last_four}
                        </code>
                      </Table.Td>
                      <Table.Td>{key.permissions.includes('*') ? 'all' : key.permissions.join(', ')}</Table.Td>
                      <Table.Td miw={140}>
                        <Text size="sm">
                          {key.used_today === null ? '?' : number(key.used_today)} / {number(key.daily_limit)}
                        </Text>
                        <Progress value={((key.used_today ?? 0) / key.daily_limit) * 100} aria-label="Used today" />
                      </Table.Td>
                      <Table.Td>{number(key.per_minute_limit)}</Table.Td>
                      <Table.Td>
                        <Ago at={key.last_used_at} />
                      </Table.Td>
                      <Table.Td>
                        <Ago at={key.expires_at} />
                      </Table.Td>
                      <Table.Td>
                        {key.revoked_at ? (
                          <State of="failed" label="revoked" />
                        ) : (
                          isOwner && (
                            <Button
                              size="compact-sm"
                              color="red"
                              variant="light"
                              onClick={() =>
                                window.confirm(`Revoke ${key.name}? What uses it stops working at once.`) && revoke.mutate(key.id)
                              }
                            >
                              Revoke
                            </Button>
                          )
                        )}
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )
        }
      </Loaded>
      <Modal
        opened={creating}
        onClose={close}
        closeOnEscape={mayClose}
        closeOnClickOutside={mayClose}
        withCloseButton={mayClose}
        title="Create an API key"
        size="lg"
      >
        {creating &&
          (create.data ? (
            <Fresh secret={create.data.key} message={create.data.message} done={close} />
          ) : (
            <Create isPending={create.isPending} create={create.mutate} />
          ))}
      </Modal>
    </>
  );
}

interface FreshProps {
  secret: string;
  message: string;
  done: () => void;
}

function Fresh({ secret, message, done }: FreshProps) {
  const curl = `curl ${window.location.origin}/api/v1/health -H 'X-API-Key: ${secret}'`;
  return (
    <Stack>
      <Alert color="yellow" title={message} />
      <Snippet text={secret} label="Copy the key" />
      <Text size="sm" fw={600}>
        Try it
      </Text>
      <Snippet text={curl} />
      <Snippet text={`GATEWAY_API_KEY=${secret}`} label="Copy the line for .env" />
      <Button onClick={done}>I have saved it</Button>
    </Stack>
  );
}

function Create({ isPending, create }: { isPending: boolean; create: (key: NewKey) => void }) {
  const [name, setName] = useState('');
  const [all, setAll] = useState(true);
  const [chosen, setChosen] = useState<Permission[]>([]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create({ name, permissions: all ? ['*'] : chosen });
      }}
    >
      <Stack>
        <TextInput label="Name" placeholder="CRM" required value={name} onChange={(e) => setName(e.currentTarget.value)} />
        <Checkbox label="All permissions" checked={all} onChange={(e) => setAll(e.currentTarget.checked)} />
        {!all && (
          <Checkbox.Group label="Permissions" value={chosen} onChange={(value) => setChosen(value as Permission[])}>
            <Group mt={4}>
              {PERMISSIONS.map((permission) => (
                <Checkbox key={permission} value={permission} label={permission} />
              ))}
            </Group>
          </Checkbox.Group>
        )}
        <Button type="submit" loading={isPending} disabled={!name || (!all && chosen.length === 0)}>
          Create
        </Button>
      </Stack>
    </form>
  );
}
