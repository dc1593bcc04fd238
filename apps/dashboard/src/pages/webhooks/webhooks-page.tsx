import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, request, notifySuccess } from '../../api/client';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { FormDrawer } from '../../components/form-drawer';
import { FormModal } from '../../components/form-modal';
import { EmptyState } from '../../components/empty-state';
import { Gone } from '../../components/gone';
import { QueryResult } from '../../components/query-result';
import { PageTitle } from '../../components/page-title';
import { type Webhook, EVENTS } from './webhook';
import { WebhookList } from './webhook-list';
import { WebhookForm } from './webhook-form';
import { DeliveryDetail } from './delivery-detail';
import { DeliveryLog } from './delivery-log';

const route = getRouteApi('/inside/webhooks');

export function WebhooksPage() {
  const search = route.useSearch() as { id?: string; delivery?: string; new?: string };
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const [edited, edit] = useState<Webhook | null>(null);
  const [deleted, setDeleted] = useState<Webhook | null>(null);
  const refresh = () => void queries.invalidateQueries({ queryKey: ['webhooks'] });
  const list = useQuery({ queryKey: ['webhooks'], queryFn: () => request(api.GET('/api/client/webhooks')), refetchInterval: 4_000 });
  const toggle = useMutation({
    mutationFn: ({ id, is_active }: { id: number; is_active: boolean }) =>
      request(api.PUT('/api/client/webhooks/{id}', { params: { path: { id } }, body: { is_active } })),
    onSuccess: refresh,
  });
  const remove = useMutation({
    mutationFn: (id: number) => request(api.DELETE('/api/client/webhooks/{id}', { params: { path: { id } } })),
    onSuccess: () => {
      notifySuccess('The webhook was deleted.');
      refresh();
    },
  });
  const opened = list.data?.webhooks.find(({ id }) => id === Number(search.id));
  const isGone = list.isFetchedAfterMount && list.isSuccess && opened === undefined;
  const isNew = search.new !== undefined;
  const close = () => {
    edit(null);
    void navigate({ search: {} });
  };
  return (
    <>
      <PageTitle title="Webhooks" about="Real-time events for your server">
        <Button leftSection={<IconPlus size={16} />} onClick={() => void navigate({ search: { new: 'yes' } })}>
          Add a webhook
        </Button>
      </PageTitle>
      <QueryResult query={list}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <EmptyState title="No webhook yet">
              Give an HTTPS address of your server. It gets a signed POST for each event and must respond with 200 within 10 seconds.
            </EmptyState>
          ) : (
            <WebhookList
              webhooks={webhooks}
              openLog={(id) => void navigate({ search: { id: String(id) } })}
              toggle={toggle.mutate}
              edit={edit}
              remove={setDeleted}
            />
          )
        }
      </QueryResult>
      <FormModal opened={isNew || edited !== null} onClose={close} title={isNew ? 'Add a webhook' : 'Edit the webhook'}>
        {(isNew || edited !== null) && <WebhookForm webhook={edited} done={close} />}
      </FormModal>
      <FormDrawer
        opened={search.id !== undefined}
        onClose={() => void navigate({ search: {} })}
        position="right"
        size="xl"
        title={opened ? `Deliveries to ${opened.name}` : 'Deliveries'}
      >
        {search.id !== undefined &&
          (isGone ? (
            <Gone />
          ) : search.delivery === undefined ? (
            <DeliveryLog id={Number(search.id)} wanted={opened?.events ?? EVENTS} failingSince={opened?.failing?.since ?? null} />
          ) : (
            <DeliveryDetail webhookId={Number(search.id)} id={Number(search.delivery)} />
          ))}
      </FormDrawer>
      <ConfirmDialog
        opened={deleted !== null}
        question={`Delete ${deleted?.name}?`}
        consequence="Its delivery log is deleted too."
        action="Delete"
        onConfirm={() => deleted && remove.mutate(deleted.id)}
        onClose={() => setDeleted(null)}
      />
    </>
  );
}
