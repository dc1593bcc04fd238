import { Button, Group, Paper, Select, Stack, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, request } from '../../api/client';
import { useZone } from '../../api/use-zone';
import { usePagedQuery } from '../../components/use-paged-query';
import { DatetimeField } from '../../components/datetime-field';
import { isoOf } from '../../components/local-time';
import { RelativeTime } from '../../components/relative-time';
import { number } from '../../components/format-number';
import { StateBadge } from '../../components/state-badge';
import { LoadMore } from '../../components/load-more';
import { EmptyState } from '../../components/empty-state';
import { QueryResult } from '../../components/query-result';
import { deliveryOutcome } from './delivery-outcome';
import { type EventName, EVENTS } from './webhook';
import { Recovery } from './recovery';
import { TestEvent } from './test-event';
import { useHeldRows } from './use-held-rows';
import { useRedeliver } from './use-redeliver';
import { Dimmed } from '../../components/dimmed';

const STATES = ['succeeded', 'failed', 'skipped', 'pending', 'running'] as const;
type State = (typeof STATES)[number];

interface DeliveryLogProps {
  id: number;
  /** The subscribed events. */
  wanted: readonly string[];
  /** The time from which a recovery is proposed; null for none. */
  failingSince: string | null;
}

/** The deliveries of one webhook, and test events. */
export function DeliveryLog({ id, wanted, failingSince }: DeliveryLogProps) {
  const navigate = useNavigate();
  const [state, setState] = useState<State | null>(null);
  const [event, setEvent] = useState<EventName | null>(null);
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const zone = useZone();
  const [fromIso, toIso] = [isoOf(from, zone), isoOf(to, zone)];
  const filter = {
    ...(state && { state }),
    ...(event && { event }),
    ...(fromIso && { from: fromIso }),
    ...(toIso && { to: toIso }),
  };
  const list = usePagedQuery({
    queryKey: ['webhooks', id, filter],
    load: (page) => request(api.GET('/api/client/webhooks/{id}/deliveries', { params: { path: { id }, query: { ...page, ...filter } } })),
    rows: (page) => page.deliveries,
    refetchInterval: 2_000,
  });
  const redeliver = useRedeliver(id);
  const isLoaded = list.isFetchedAfterMount && !list.isPlaceholderData;
  const { shown, waiting, showAll } = useHeldRows(list.data ?? [], JSON.stringify(filter), isLoaded);
  return (
    <Stack>
      <TestEvent
        id={id}
        wanted={wanted}
        onSent={(delivery_id) => void navigate({ to: '/webhooks', search: { id: String(id), delivery: String(delivery_id) } })}
      />
      <Recovery key={failingSince} id={id} failingSince={failingSince} />
      <Group align="flex-end" gap="xs">
        <Select
          label="State"
          clearable
          placeholder="All states"
          data={STATES}
          value={state}
          onChange={(value) => setState(value as State | null)}
          style={{ flex: '1 1 140px' }}
        />
        <Select
          label="Event"
          clearable
          placeholder="All events"
          data={EVENTS}
          value={event}
          onChange={(value) => setEvent(value as EventName | null)}
          style={{ flex: '1 1 160px' }}
        />
      </Group>
      <Group align="flex-end" gap="xs">
        <DatetimeField
          label={`From, ${zone} time`}
          value={from}
          onChange={(e) => setFrom(e.currentTarget.value)}
          style={{ flex: '1 1 190px' }}
        />
        <DatetimeField
          label={`Until, ${zone} time`}
          value={to}
          onChange={(e) => setTo(e.currentTarget.value)}
          style={{ flex: '1 1 190px' }}
        />
      </Group>
      <Group mih={30} my={-8} role="status">
        {waiting > 0 && (
          <Button size="xs" variant="light" onClick={showAll}>
            Show new deliveries ({number(waiting)})
          </Button>
        )}
      </Group>
      <QueryResult query={list}>
        {() =>
          shown.length === 0 && Object.keys(filter).length > 0 ? (
            <EmptyState title="No results">No deliveries match these filters.</EmptyState>
          ) : shown.length === 0 ? (
            <EmptyState title="No deliveries yet">Send a test event or wait for the next message.</EmptyState>
          ) : (
            <Stack gap="xs" role="list">
              {shown.map((delivery) => (
                <Paper key={delivery.id} withBorder p="sm" radius="md" role="listitem">
                  <Group justify="space-between">
                    <div style={{ flex: '1 1 220px', minWidth: 0 }}>
                      <Group gap="xs">
                        <Text size="sm" fw={600}>
                          {delivery.event}
                        </Text>
                        <StateBadge of={delivery.state} />
                      </Group>
                      <Dimmed>
                        <RelativeTime at={delivery.created_at} />
                      </Dimmed>
                      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                        {deliveryOutcome(delivery)}
                      </Text>
                    </div>
                    <Group gap={6} wrap="nowrap">
                      <Button
                        size="compact-xs"
                        variant="default"
                        aria-label={`Details of ${delivery.event}, delivery ${delivery.id}`}
                        renderRoot={(props) => (
                          <Link {...props} to="/webhooks" search={{ id: String(id), delivery: String(delivery.id) }} />
                        )}
                      >
                        Details
                      </Button>
                      <Button
                        size="compact-xs"
                        variant="light"
                        aria-label={`Redeliver ${delivery.event}, delivery ${delivery.id}`}
                        loading={redeliver.isPending && redeliver.variables === delivery.id}
                        onClick={() => redeliver.mutate(delivery.id)}
                      >
                        Redeliver
                      </Button>
                    </Group>
                  </Group>
                </Paper>
              ))}
            </Stack>
          )
        }
      </QueryResult>
      <LoadMore list={list}>Older deliveries</LoadMore>
    </Stack>
  );
}
