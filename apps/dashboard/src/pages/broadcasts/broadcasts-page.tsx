import { Alert, Button, Card, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { api, request } from '../../api/client';
import { useMe } from '../../api/session';
import { useLiveRefresh } from '../../api/use-live-refresh';
import { peopleCounted } from '../../components/format-number';
import { usePagedQuery } from '../../components/use-paged-query';
import { RelativeTime } from '../../components/relative-time';
import { LoadMore } from '../../components/load-more';
import { EmptyState } from '../../components/empty-state';
import { QueryResult } from '../../components/query-result';
import { PageTitle } from '../../components/page-title';
import { BroadcastBadge } from './broadcast-badge';
import { BroadcastCost } from './broadcast-cost';
import { BroadcastProgress } from './broadcast-progress';
import { BroadcastDetail } from './broadcast-detail';
import { NewBroadcast } from './new-broadcast';
import type { Recipients } from './recipient-filter';
import { isQueued } from './broadcast-phase';
import { StartsAt } from './starts-at';
import { WaitingNotice } from './waiting-notice';
import { Drawer } from '../../components/drawer';

const route = getRouteApi('/inside/broadcasts');

export function BroadcastsPage() {
  const { state, phone, reason, ...search } = route.useSearch() as { id?: string; new?: string } & Partial<Recipients>;
  const navigate = route.useNavigate();
  const { business } = useMe();
  useLiveRefresh('broadcasts', { names: ['broadcast.completed'] });
  const list = usePagedQuery({
    queryKey: ['broadcasts'],
    load: (query) => request(api.GET('/api/client/broadcasts', { params: { query } })),
    rows: ({ broadcasts }) => broadcasts,
    refetchInterval: (broadcasts) => (broadcasts.some(({ status }) => status === 'running') ? 1_000 : 10_000),
  });
  const set = (change: Record<string, string | undefined>) => void navigate({ search: { ...search, ...change } });
  const show = (shown: Recipients) => void navigate({ search: { ...search, ...shown }, replace: true });
  if (search.new !== undefined)
    return (
      <NewBroadcast
        step={search.new}
        onStep={(step) => set({ new: step })}
        onLeave={() => set({ new: undefined })}
        onCreated={(id) => set({ new: undefined, id: String(id) })}
      />
    );
  return (
    <>
      <PageTitle title="Broadcasts" about="Send one template to many people, at WhatsApp’s pace">
        <Button leftSection={<IconPlus size={16} />} onClick={() => set({ new: 'template' })}>
          New broadcast
        </Button>
      </PageTitle>
      {business?.broadcast_daily_limit === 0 && (
        <Alert color="yellow" mb="md" title="Your business may send no broadcasts">
          Ask the operator for a daily limit before you prepare one.
        </Alert>
      )}
      <QueryResult query={list}>
        {(broadcasts) =>
          broadcasts.length === 0 ? (
            <EmptyState title="No broadcasts yet">
              Choose a template and a list of people, for example a CSV file with the columns phone, name, order. Every row is checked
              before anything is sent.
            </EmptyState>
          ) : (
            <Stack>
              {broadcasts.map((one) => (
                <Card
                  key={one.id}
                  withBorder
                  component="button"
                  type="button"
                  ta="left"
                  onClick={() => set({ id: String(one.id) })}
                  style={{ cursor: 'pointer' }}
                >
                  <Group justify="space-between" mb={6}>
                    <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
                      <Text fw={600}>{one.name}</Text>
                      <Text size="sm" c="dimmed">
                        {one.template_name} · {peopleCounted(one.total_recipients)} ·{' '}
                        {one.status === 'scheduled' && one.scheduled_at !== null && !isQueued(one) ? (
                          <StartsAt at={one.scheduled_at} />
                        ) : (
                          <RelativeTime at={one.created_at} />
                        )}
                      </Text>
                    </div>
                    <BroadcastBadge {...one} />
                  </Group>
                  <BroadcastProgress {...one} />
                  {one.waiting !== undefined && one.waiting > 0 && <WaitingNotice waiting={one.waiting} />}
                  {one.pause_cause && (
                    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                      Paused by an error: {one.pause_cause.message}
                    </Text>
                  )}
                  <BroadcastCost {...one} />
                </Card>
              ))}
              <LoadMore list={list}>Older broadcasts</LoadMore>
            </Stack>
          )
        }
      </QueryResult>
      <Drawer opened={search.id !== undefined} onClose={() => set({ id: undefined })} position="right" size="xl" title="Broadcast">
        {search.id !== undefined && (
          <BroadcastDetail
            key={search.id}
            id={Number(search.id)}
            shown={{ state, phone, reason }}
            onShow={show}
            onOpen={(id) => set({ id: String(id) })}
            onDuplicate={() => set({ id: undefined, new: 'values' })}
          />
        )}
      </Drawer>
    </>
  );
}
