import { Box, Button, Group, Paper, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request } from '../../api/client';
import { usePagedQuery } from '../../components/use-paged-query';
import { RelativeTime } from '../../components/relative-time';
import { StateBadge } from '../../components/state-badge';
import { LoadMore } from '../../components/load-more';
import { EmptyState } from '../../components/empty-state';
import { QueryResult } from '../../components/query-result';
import { JSON_TYPE, SentRequest } from './sent-request';
import { type Delivery } from './webhook';
import { TestEvent } from './test-event';

/** The deliveries of one webhook, and test events. @param wanted the subscribed events */
export function DeliveryLog({ id, wanted }: { id: number; wanted: readonly string[] }) {
  const queries = useQueryClient();
  const [state, setState] = useState<string | null>(null);
  const [open, setOpen] = useState<number | null>(null);
  const list = usePagedQuery({
    queryKey: ['webhooks', id, state],
    load: (page) => {
      const query = { ...page, ...(state && { state: state as 'failed' }) };
      return request(api.GET('/api/client/webhooks/{id}/deliveries', { params: { path: { id }, query } }));
    },
    rows: (page) => page.deliveries,
    refetchInterval: 2_000,
  });
  const refresh = () => void queries.invalidateQueries({ queryKey: ['webhooks', id] });
  const again = useMutation({
    mutationFn: (delivery_id: number) =>
      request(
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
      <QueryResult query={list}>
        {(deliveries) =>
          deliveries.length === 0 && state ? (
            <EmptyState title="No results">No deliveries of the last 30 days have this state.</EmptyState>
          ) : deliveries.length === 0 ? (
            <EmptyState title="No deliveries yet">Send a test event or wait for the next message.</EmptyState>
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
                        <StateBadge of={delivery.state} />
                      </Group>
                      <Text size="sm" c="dimmed">
                        <RelativeTime at={delivery.created_at} />
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
                      <SentRequest delivery={delivery} />
                    </Box>
                  )}
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
