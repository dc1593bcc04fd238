import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { api, request, untilGone } from '../../api/client';
import { QueryResult } from '../../components/query-result';
import { RelativeTime } from '../../components/relative-time';
import { BroadcastActions } from './broadcast-actions';
import { BroadcastBadge } from './broadcast-badge';
import { BroadcastCost } from './broadcast-cost';
import { BroadcastFailures } from './broadcast-failures';
import { BroadcastFunnel } from './broadcast-funnel';
import { type Look, PACE_MS, paceOf, BroadcastPace } from './broadcast-pace';
import { BroadcastProgress } from './broadcast-progress';
import { BroadcastRatePlot } from './broadcast-rate-plot';
import { PLOT_MS, ratesOf } from './broadcast-rates';
import { isQueued, isSending } from './broadcast-phase';
import { WaitingNotice } from './waiting-notice';
import { PauseCauseAlert } from './pause-cause-alert';
import { BroadcastRecipients } from './broadcast-recipients';
import { StartsAt } from './starts-at';
import { ALL_RECIPIENTS, type Recipients } from './recipient-filter';

export function BroadcastDetail({
  id,
  shown,
  onShow,
  onOpen,
  onDuplicate,
}: {
  id: number;
  shown: Recipients;
  onShow: (shown: Recipients) => void;
  onOpen: (id: number) => void;
  onDuplicate: () => void;
}) {
  const looks = useRef<Look[]>([]);
  const one = useQuery({
    queryKey: ['broadcasts', id],
    queryFn: async () => {
      const broadcast = await request(api.GET('/api/client/broadcasts/{id}', { params: { path: { id } } }));
      const now = { at: Date.now(), done: broadcast.sent + broadcast.failed };
      const isRunning = broadcast.status === 'running';
      if (isRunning) looks.current = [...looks.current.filter(({ at }) => at > now.at - PLOT_MS), now];
      const pace = isRunning ? paceOf(looks.current.filter(({ at }) => at > now.at - PACE_MS)) : null;
      return { ...broadcast, pace, rates: ratesOf(looks.current) };
    },
    // Deliveries and replies arrive after the end too.
    refetchInterval: (query) => untilGone(query.state.data?.finished_at ? 5_000 : 1_000)(query),
  });
  return (
    <QueryResult query={one}>
      {(broadcast) => {
        const waiting = isSending(broadcast) ? (broadcast.waiting ?? 0) : 0;
        // A pace predicts no end if everybody left waits.
        const hasPace = isSending(broadcast) && waiting < broadcast.pending;
        return (
          <Stack>
            <div>
              <Group justify="space-between" wrap="nowrap" align="flex-start">
                <Title order={3} size="h4" style={{ overflowWrap: 'anywhere' }}>
                  {broadcast.name}
                </Title>
                <BroadcastBadge {...broadcast} />
              </Group>
              <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {broadcast.template_name} ({broadcast.language}) · created <RelativeTime at={broadcast.created_at} />
                {broadcast.status === 'scheduled' && broadcast.scheduled_at !== null && !isQueued(broadcast) && (
                  <>
                    {' · '}
                    <StartsAt at={broadcast.scheduled_at} />
                  </>
                )}
                {broadcast.retry_of !== null && (
                  <>
                    {' · '}
                    <Anchor component="button" type="button" size="sm" onClick={() => onOpen(broadcast.retry_of as number)}>
                      Retries an earlier broadcast
                    </Anchor>
                  </>
                )}
              </Text>
            </div>
            <BroadcastProgress {...broadcast} />
            <BroadcastCost {...broadcast} />
            {hasPace && <BroadcastPace pace={broadcast.pace} due={broadcast.pending - waiting} />}
            {waiting > 0 && <WaitingNotice waiting={waiting} onShow={() => onShow({ ...ALL_RECIPIENTS, state: 'pending' })} />}
            {(hasPace || broadcast.rates.some((rate) => rate > 0)) && <BroadcastRatePlot rates={broadcast.rates} />}
            {broadcast.pause_cause && <PauseCauseAlert cause={broadcast.pause_cause} pending={broadcast.pending} />}
            <BroadcastActions broadcast={broadcast} onOpen={onOpen} onDuplicate={onDuplicate} />
            <BroadcastFunnel broadcast={broadcast} onPick={(state) => onShow({ ...ALL_RECIPIENTS, state })} />
            {broadcast.failures.length > 0 && (
              <BroadcastFailures {...broadcast} onPick={(reason) => onShow({ ...ALL_RECIPIENTS, state: 'failed', reason })} />
            )}
            <BroadcastRecipients id={id} shown={shown} status={broadcast.status} onChange={onShow} />
          </Stack>
        );
      }}
    </QueryResult>
  );
}
