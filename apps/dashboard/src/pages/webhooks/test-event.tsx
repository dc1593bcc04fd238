import { Button, Group, Select } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request } from '../../api/client';
import { type EventName, EVENTS } from './webhook';

interface TestEventProps {
  id: number;
  wanted: readonly string[];
  onSent: (delivery_id: number) => void;
}

/** Sends a sample of any event, even one that the webhook does not subscribe to, so that a receiver can be built first. */
export function TestEvent({ id, wanted, onSent }: TestEventProps) {
  const queries = useQueryClient();
  const [chosen, choose] = useState<EventName | null>(null);
  const event = chosen ?? EVENTS.find((name) => wanted.includes(name)) ?? EVENTS[0];
  const test = useMutation({
    mutationFn: () => request(api.POST('/api/client/webhooks/{id}/test', { params: { path: { id } }, body: { event } })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['webhooks', id] }),
  });
  return (
    <Group align="flex-end">
      <Select
        label="Sample event"
        description={wanted.includes(event) ? undefined : 'This webhook does not subscribe to this event; only the test is sent.'}
        allowDeselect={false}
        data={EVENTS}
        value={event}
        onChange={(name) => choose(name as EventName)}
        style={{ flex: '1 1 200px' }}
      />
      <Button
        variant="default"
        loading={test.isPending}
        onClick={() => test.mutate(undefined, { onSuccess: ({ delivery_id }) => onSent(delivery_id) })}
      >
        Send test event
      </Button>
    </Group>
  );
}
