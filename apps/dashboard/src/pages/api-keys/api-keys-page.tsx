import { Alert, Anchor, Button, Group, Progress, Table, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, notifyError, request, shownByForm } from '../../api/client';
import { keyOfRequest } from '../../api/idempotency-key';
import { keysQuery, type ApiKey } from '../../api/api-keys';
import { useMayCall, useMe } from '../../api/session';
import { hasExpired } from '../../components/busiest-key';
import { useNow } from '../../components/clock';
import { number } from '../../components/format-number';
import { RelativeTime } from '../../components/relative-time';
import { StateBadge } from '../../components/state-badge';
import { FormModal } from '../../components/form-modal';
import { EmptyState } from '../../components/empty-state';
import { QueryResult } from '../../components/query-result';
import { PageTitle } from '../../components/page-title';
import { type NewKey } from './permissions';
import { NewKeyShown } from './new-key-shown';
import { CreateKeyForm } from './create-key-form';
import { EditKeyForm } from './edit-key-form';
import { KeyActions } from './key-actions';
import { heirOf, KeyRotation } from './key-rotation';
import { RotateKeyForm, type Grace } from './rotate-key-form';
import { DataTable } from '../../components/data-table';
import { Dimmed } from '../../components/dimmed';
import { useChange } from '../../api/use-change';
import { shareOf } from '../../components/busiest-key';
import { TYPED } from '../../components/typed-text';

const route = getRouteApi('/inside/api-keys');

export function ApiKeysPage() {
  const queries = useQueryClient();
  const { business } = useMe();
  const search = route.useSearch() as { new?: string };
  const navigate = route.useNavigate();
  const [edited, setEdited] = useState<ApiKey | null>(null);
  const [rotated, setRotated] = useState<ApiKey | null>(null);
  const mayChange = useMayCall('POST /api/client/api-keys');
  const isCreating = mayChange && search.new !== undefined;
  const list = useQuery({ ...keysQuery, refetchInterval: 10_000 });
  const now = useNow();
  const refresh = () => void queries.invalidateQueries({ queryKey: ['api-keys'] });
  const revoke = useChange((id: number) => request(api.DELETE('/api/client/api-keys/{id}', { params: { path: { id } } })), 'api-keys');
  const create = useMutation({
    mutationFn: ({ body, seed }: { body: NewKey; seed: string }) =>
      request(api.POST('/api/client/api-keys', { params: { header: { 'Idempotency-Key': keyOfRequest(seed, body) } }, body })),
    // The browser's Back closes the dialog, and the page stays.
    onError: isCreating ? shownByForm : notifyError,
    onSuccess: refresh,
  });
  const rotate = useMutation({
    mutationFn: ({ id, grace_minutes }: { id: number; grace_minutes: Grace }) =>
      request(api.POST('/api/client/api-keys/{id}/rotate', { params: { path: { id } }, body: { grace_minutes } })),
    onSuccess: refresh,
  });
  const close = () => {
    void navigate({ search: {} });
    create.reset();
  };
  const closeRotation = () => {
    setRotated(null);
    rotate.reset();
  };
  // A new key is shown only once, so neither Escape nor a click outside closes the dialog. The browser's Back does (decision 630).
  const mayClose = !create.isPending && !create.data;
  return (
    <>
      <PageTitle title="API & Integrations" about="Keys for your CRM, website or backend">
        <Button component="a" href="/docs" target="_blank" variant="default">
          API reference
        </Button>
        {mayChange && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => void navigate({ search: { new: 'yes' } })}>
            Create a key
          </Button>
        )}
      </PageTitle>
      {business?.plan === 'Starter' && (
        <Alert color="yellow" mb="md" title="The Starter plan cannot send through the API">
          Its keys can read templates, health and statuses.
        </Alert>
      )}
      <QueryResult query={list}>
        {({ api_keys }) => {
          const working = api_keys.filter((key) => key.revoked_at === null && !hasExpired(key, now));
          return api_keys.length === 0 ? (
            <EmptyState title="No API key yet">
              Create one, copy it at once, and send your first message as the <Anchor href="/docs">API reference</Anchor> shows.
            </EmptyState>
          ) : (
            <DataTable
              minWidth={1040}
              columns={['Name', 'Key', 'Permissions', 'Sends today', 'Per minute', 'Last used', 'Expires', 'State']}
            >
              {api_keys.map((key) => (
                <Table.Tr key={key.id}>
                  <Table.Td maw={280} {...TYPED}>
                    {key.name}
                    <KeyRotation apiKey={key} working={working} />
                  </Table.Td>
                  <Table.Td>
                    <code style={{ whiteSpace: 'nowrap' }}>
                      {key.prefix}…{key.last_four}
                    </code>
                  </Table.Td>
                  <Table.Td>{key.permissions.includes('*') ? 'all' : key.permissions.join(', ')}</Table.Td>
                  <Table.Td miw={140}>
                    <Text size="sm">
                      {key.used_today === null ? '?' : number(key.used_today)} / {number(key.daily_limit)}
                    </Text>
                    <Progress value={shareOf(key) * 100} aria-label="Used today" />
                  </Table.Td>
                  <Table.Td>{number(key.per_minute_limit)}</Table.Td>
                  <Table.Td>
                    <RelativeTime at={key.last_used_at} />
                    <Dimmed size="xs">{key.last_ip}</Dimmed>
                  </Table.Td>
                  <Table.Td>{key.revoked_at === null && <RelativeTime at={key.expires_at} />}</Table.Td>
                  <Table.Td>
                    <Group gap="sm" wrap="nowrap" justify="space-between">
                      {working.includes(key) ? (
                        <StateBadge of="connected" label="active" />
                      ) : (
                        <StateBadge of="failed" label={key.revoked_at ? 'revoked' : 'expired'} />
                      )}
                      {working.includes(key) && mayChange && (
                        <KeyActions
                          apiKey={key}
                          isReplaced={heirOf(key, working) !== undefined}
                          edit={() => setEdited(key)}
                          rotate={() => setRotated(key)}
                          revoke={() => revoke.mutate(key.id)}
                        />
                      )}
                    </Group>
                  </Table.Td>
                </Table.Tr>
              ))}
            </DataTable>
          );
        }}
      </QueryResult>
      <FormModal
        opened={isCreating}
        onClose={close}
        closeOnEscape={mayClose}
        closeOnClickOutside={mayClose}
        withCloseButton={mayClose}
        title="Create an API key"
        size="lg"
      >
        {isCreating &&
          (create.data ? (
            <NewKeyShown secret={create.data.key} message={create.data.message} done={close} />
          ) : (
            <CreateKeyForm isPending={create.isPending} error={create.error} create={create.mutate} />
          ))}
      </FormModal>
      <FormModal opened={edited !== null} onClose={() => setEdited(null)} title={`Edit ${edited?.name ?? ''}`}>
        {edited && <EditKeyForm apiKey={edited} done={() => setEdited(null)} />}
      </FormModal>
      <FormModal
        opened={rotated !== null}
        onClose={closeRotation}
        closeOnEscape={!rotate.isPending && !rotate.data}
        closeOnClickOutside={!rotate.isPending && !rotate.data}
        withCloseButton={!rotate.isPending && !rotate.data}
        title={`Rotate ${rotated?.name ?? ''}`}
        size="lg"
      >
        {rotated &&
          (rotate.data ? (
            <NewKeyShown secret={rotate.data.key} message={rotate.data.message} done={closeRotation} />
          ) : (
            <RotateKeyForm isPending={rotate.isPending} rotate={(grace_minutes) => rotate.mutate({ id: rotated.id, grace_minutes })} />
          ))}
      </FormModal>
    </>
  );
}
