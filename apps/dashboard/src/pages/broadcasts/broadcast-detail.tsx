import { Button, Group, List, Stack, Table, Title } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { api, request, notifySuccess } from '../../api/client';
import { number } from '../../components/format-number';
import { usePagedQuery } from '../../components/use-paged-query';
import { scrollableByKeyboard } from '../../components/scrollable-by-keyboard';
import { StateBadge } from '../../components/state-badge';
import { LoadMore } from '../../components/load-more';
import { QueryResult } from '../../components/query-result';
import { type Look, PACE_MS, paceOf, BroadcastPace } from './broadcast-pace';
import { BroadcastProgress } from './broadcast-progress';
import { ConfirmButton } from '../../components/confirm-button';

export function BroadcastDetail({ id }: { id: number }) {
  const queries = useQueryClient();
  const looks = useRef<Look[]>([]);
  const one = useQuery({
    queryKey: ['broadcasts', id],
    queryFn: async () => {
      const broadcast = await request(api.GET('/api/client/broadcasts/{id}', { params: { path: { id } } }));
      const now = { at: Date.now(), done: broadcast.sent + broadcast.failed };
      looks.current = broadcast.status === 'running' ? [...looks.current.filter(({ at }) => at > now.at - PACE_MS), now] : [];
      return { ...broadcast, pace: paceOf(looks.current) };
    },
    refetchInterval: 1_000,
  });
  const recipients = usePagedQuery({
    queryKey: ['broadcasts', id, 'failed'],
    load: (page) =>
      request(api.GET('/api/client/broadcasts/{id}/recipients', { params: { path: { id }, query: { state: 'failed', ...page } } })),
    rows: (page) => page.recipients,
    refetchInterval: 3_000,
  });
  const change = useMutation({
    mutationFn: (how: 'pause' | 'resume' | 'cancel') =>
      request(api.POST(`/api/client/broadcasts/{id}/${how}`, { params: { path: { id } } })),
    onSuccess: ({ message }) => {
      notifySuccess(message);
      void queries.invalidateQueries({ queryKey: ['broadcasts'] });
    },
  });
  return (
    <QueryResult query={one}>
      {(broadcast) => {
        const isPaused = broadcast.status === 'paused';
        return (
          <Stack>
            <Group justify="space-between">
              <Title order={3} size="h4" style={{ overflowWrap: 'anywhere' }}>
                {broadcast.name}
              </Title>
              <StateBadge of={broadcast.status} />
            </Group>
            <BroadcastProgress {...broadcast} />
            {broadcast.pace !== null && <BroadcastPace pace={broadcast.pace} pending={broadcast.pending} />}
            {broadcast.finished_at === null && (
              <Group grow>
                <Button
                  variant="default"
                  leftSection={isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
                  loading={change.isPending}
                  onClick={() => change.mutate(isPaused ? 'resume' : 'pause')}
                >
                  {isPaused ? 'Resume' : 'Pause'}
                </Button>
                <ConfirmButton
                  color="red"
                  variant="light"
                  loading={change.isPending}
                  question={`Cancel ${broadcast.name}?`}
                  consequence="The remaining recipients will not get it. Sent messages cannot be recalled."
                  onConfirm={() => change.mutate('cancel')}
                >
                  Cancel the broadcast
                </ConfirmButton>
              </Group>
            )}
            {broadcast.failures.length > 0 && (
              <>
                <Title order={4} size="h5">
                  Failure reasons
                </Title>
                <List size="sm">
                  {broadcast.failures.map(({ reason, count }) => (
                    <List.Item key={reason}>
                      {number(count)} × {reason}
                    </List.Item>
                  ))}
                </List>
                <Table.ScrollContainer minWidth={360} scrollAreaProps={scrollableByKeyboard}>
                  <Table>
                    <Table.Tbody>
                      {recipients.data?.map(({ nth, phone, reason }) => (
                        <Table.Tr key={nth}>
                          <Table.Td>{phone}</Table.Td>
                          <Table.Td>{reason}</Table.Td>
                        </Table.Tr>
                      ))}
                    </Table.Tbody>
                  </Table>
                </Table.ScrollContainer>
                <LoadMore list={recipients}>Show more</LoadMore>
              </>
            )}
          </Stack>
        );
      }}
    </QueryResult>
  );
}
