import { Button, Drawer, Group, Select, Stack, Text } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useEventTail, type TailedEvent } from '../../api/use-event-tail';
import { useZone } from '../../api/use-zone';
import { clockSeconds, exactTime } from '../../components/clock-time';
import { EmptyState } from '../../components/empty-state';
import { counted } from '../../components/format-number';
import { LogTable } from '../../components/log-table';
import { PageTitle } from '../../components/page-title';
import { Snippet } from '../../components/snippet';
import { StateBadge } from '../../components/state-badge';
import { EVENTS } from '../webhooks/webhook';
import { eventParty, eventText } from './event-summary';
import './events.css';
import { useFrozen, useIsScrolled } from './use-frozen';

const route = getRouteApi('/inside/events');

/** The business's events as they happen (spec §10). */
export function EventsPage() {
  const { type } = route.useSearch() as { type?: string };
  const navigate = route.useNavigate();
  const zone = useZone();
  const { isConnected, ...tail } = useEventTail(EVENTS);
  const [isPaused, setIsPaused] = useState(false);
  const [isPointedAt, setIsPointedAt] = useState(false);
  const isScrolled = useIsScrolled();
  const [opened, setOpened] = useState<TailedEvent | null>(null);
  const shown = useFrozen(tail, isPaused || isPointedAt || isScrolled);
  const waiting = tail.received - shown.received;
  const events = shown.events.filter(({ event }) => !type || event === type);
  const state = isPaused ? 'paused' : isConnected ? 'live' : 'connecting';
  return (
    <>
      <PageTitle title="Live events" about={`Every event as it happens, with the body that webhooks get; times in the time zone ${zone}`}>
        <Button
          variant="default"
          leftSection={isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
          onClick={() => setIsPaused(!isPaused)}
        >
          {isPaused ? 'Continue' : 'Pause'}
        </Button>
      </PageTitle>
      <Group mb="sm" align="flex-end" justify="space-between">
        <Select
          label="Event"
          clearable
          placeholder="All events"
          data={EVENTS}
          value={type ?? null}
          onChange={(value) => void navigate({ search: { type: value ?? undefined }, replace: true })}
        />
        <Group gap="xs" mih={28}>
          {waiting > 0 && (
            <Text size="sm" c="dimmed">
              {counted(waiting, 'new event')} waiting
            </Text>
          )}
          <div role="status">
            <StateBadge of={state === 'live' ? 'connected' : 'pending'} label={state} />
          </div>
        </Group>
      </Group>
      {/* A row must not move under the pointer. */}
      <div onPointerEnter={({ pointerType }) => setIsPointedAt(pointerType === 'mouse')} onPointerLeave={() => setIsPointedAt(false)}>
        {events.length === 0 ? (
          <EmptyState title="Waiting for events">
            Events appear here from now on, as long as this page is open. message.status, template.status, suppression.changed and
            webhook.failing are published while a webhook or a reader of the event feed wants them.
          </EmptyState>
        ) : (
          <LogTable
            label="Events, the newest first"
            className="event-log"
            rows={events}
            idOf={({ key }) => key}
            opened={opened?.key}
            onOpen={setOpened}
            columns={[
              { name: 'Time', className: 'event-when', cell: ({ timestamp }) => clockSeconds(timestamp, zone) },
              {
                name: 'Event',
                className: 'event-name',
                isButton: true,
                cell: ({ event }) => (
                  <Text size="sm" fw={600} truncate>
                    {event}
                  </Text>
                ),
              },
              { name: 'About', className: 'event-party', cell: (event) => eventParty(event) },
              { name: 'Content', className: 'event-text', title: eventText, cell: (event) => <bdi>{eventText(event)}</bdi> },
            ]}
          />
        )}
      </div>
      <Drawer opened={opened !== null} onClose={() => setOpened(null)} position="right" size="lg" title={opened?.event ?? 'Event'}>
        {opened && (
          <Stack>
            <Text size="sm" c="dimmed">
              {exactTime(opened.timestamp, zone)}, {zone}. A webhook gets this body.
            </Text>
            <Snippet text={bodyOf(opened)} label="Copy the event" />
          </Stack>
        )}
      </Drawer>
    </>
  );
}

const bodyOf = ({ event, timestamp, data }: TailedEvent): string => JSON.stringify({ event, timestamp, data }, null, 2);
