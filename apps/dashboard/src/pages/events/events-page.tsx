import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { INTERRUPTED, useEventTail, type TailedEvent } from '../../api/use-event-tail';
import { useZone } from '../../api/use-zone';
import { clockSeconds, exactTime } from '../../components/clock-time';
import { EmptyState } from '../../components/empty-state';
import { counted } from '../../components/format-number';
import { LogTable } from '../../components/log-table';
import { PageTitle } from '../../components/page-title';
import { Snippet } from '../../components/snippet';
import { StateBadge } from '../../components/state-badge';
import { SearchField } from '../../components/search-field';
import { TypedLine } from '../../components/typed-line';
import { useSearchText } from '../../components/use-search-text';
import { EVENTS } from '../webhooks/webhook';
import { eventParty, eventText, isAboutPhone } from './event-summary';
import './events.css';
import { useFrozen, useIsScrolled } from './use-frozen';
import { Drawer } from '../../components/drawer';

const route = getRouteApi('/inside/events');

/** A shorter interruption is named by the times of the day. */
const LONG_MS = 12 * 3_600_000;

/** The business's events as they happen (spec §10). */
export function EventsPage() {
  const { type, phone } = route.useSearch() as { type?: string; phone?: string };
  const navigate = route.useNavigate();
  const filter = (change: object) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true });
  const [typed, setTyped] = useSearchText(phone, (value) => filter({ phone: value }));
  const zone = useZone();
  const { isConnected, ...tail } = useEventTail(EVENTS);
  const [isPaused, setIsPaused] = useState(false);
  const [isPointedAt, setIsPointedAt] = useState(false);
  const isScrolled = useIsScrolled();
  const [opened, setOpened] = useState<TailedEvent | null>(null);
  const shown = useFrozen(tail, isPaused || isPointedAt || isScrolled);
  const waiting = tail.received - shown.received;
  const isShown = (one: TailedEvent) =>
    one.event === INTERRUPTED || ((!type || one.event === type) && (!phone || isAboutPhone(one, phone)));
  const events = shown.events.filter(isShown);
  const text = (one: TailedEvent) => (one.event === INTERRUPTED ? interruption(one, zone) : eventText(one));
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
        <Group gap="sm" align="flex-end">
          <Select
            label="Event"
            clearable
            placeholder="All events"
            data={EVENTS}
            value={type ?? null}
            onChange={(value) => filter({ type: value ?? undefined })}
          />
          <SearchField label="Phone" placeholder="Number or part of it" value={typed} onChange={setTyped} />
        </Group>
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
        {events.length === 0 && shown.events.length > 0 ? (
          <EmptyState title="No events match these filters">New ones appear here as they happen.</EmptyState>
        ) : events.length === 0 ? (
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
                  <Text size="sm" fw={600} truncate c={event === INTERRUPTED ? 'dimmed' : undefined}>
                    {event === INTERRUPTED ? 'Interrupted' : event}
                  </Text>
                ),
              },
              { name: 'About', className: 'event-party', cell: (event) => <TypedLine>{eventParty(event)}</TypedLine> },
              { name: 'Content', className: 'event-text', title: text, cell: (event) => <TypedLine>{text(event)}</TypedLine> },
            ]}
          />
        )}
      </div>
      <Drawer opened={opened !== null} onClose={() => setOpened(null)} position="right" size="lg" title={titleOf(opened)}>
        {opened?.event === INTERRUPTED && <Text size="sm">{interruption(opened, zone)}</Text>}
        {opened && opened.event !== INTERRUPTED && (
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

const titleOf = (opened: TailedEvent | null) => (opened?.event === INTERRUPTED ? 'Interrupted' : (opened?.event ?? 'Event'));

/** A line that names the times, with their dates if it was a long one. */
function interruption({ timestamp, data }: TailedEvent, zone: string): string {
  const since = String(data['since']);
  const isLong = Date.parse(timestamp) - Date.parse(since) > LONG_MS;
  const [from, to] = [since, timestamp].map((at) => (isLong ? exactTime(at, zone) : clockSeconds(at, zone)));
  return `Events may be missing: the connection was interrupted from ${from} to ${to}.`;
}

const bodyOf = ({ event, timestamp, data }: TailedEvent): string => JSON.stringify({ event, timestamp, data }, null, 2);
