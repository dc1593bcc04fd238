import { Box, Group, Stack, Switch, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, request } from '../../api/client';
import { useZone } from '../../api/use-zone';
import { CopyIcon } from '../../components/copy-icon';
import { dayOf, dayOrTime, timeOfDay } from '../../components/clock-time';
import { phoneDialled, phoneShown } from '../../components/phone-shown';
import { nameOf, type Conversation } from './conversation';
import { LabelsField } from './labels-field';
import { OptOut } from './opt-out';
import { PersonAvatar } from './person-avatar';
import type { Note, ThreadMessage } from './thread-message';
import type { useConversationChange } from './use-conversation-change';
import { useRecentTemplates } from './use-recent-templates';
import { Dimmed } from '../../components/dimmed';
import { TYPED } from '../../components/typed-text';
import { visibleName } from '../../components/visible-name';

/**
 * The third pane: the person, and what is known about the conversation.
 * @param messages those that are loaded
 * @param notes the newest ones of the whole conversation
 */
export function ContactPane({
  conversation,
  messages,
  notes,
  change,
}: {
  conversation: Conversation;
  messages: ThreadMessage[];
  notes: Note[];
  change: ReturnType<typeof useConversationChange>;
}) {
  const { customer_phone, customer_name, session_window, first_inbound_at, assigned_to, auto_reply, created_at } = conversation;
  const name = nameOf(conversation);
  const zone = useZone();
  const business = useQuery({
    queryKey: ['auto-reply', 'enabled'],
    queryFn: () => request(api.GET('/api/client/auto-reply/enabled')),
    staleTime: 60_000,
  });
  const isOff = business.data?.enabled === false;
  const templates = useRecentTemplates(customer_phone, [...messages].reverse());
  return (
    <Stack gap="md" p="md">
      <Stack gap={4} align="center">
        <PersonAvatar name={name} size={60} />
        <Text fw={650} {...TYPED} ta="center">
          {name}
        </Text>
        <Group gap={2} wrap="nowrap">
          {visibleName(customer_name) && (
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {phoneShown(customer_phone)}
            </Text>
          )}
          <CopyIcon value={phoneDialled(customer_phone)} label="Copy the number" />
        </Group>
      </Stack>
      <Part title="Conversation">
        <Fact label="Assigned to">{assigned_to ? assigned_to.name || 'Former colleague' : 'Nobody'}</Fact>
        <Fact label="First wrote">{first_inbound_at ? dayOf(first_inbound_at, zone) : 'Never'}</Fact>
        {!first_inbound_at && <Fact label="Known since">{dayOf(created_at, zone)}</Fact>}
        <Fact label={session_window.open ? 'Window closes' : 'Window'}>
          {session_window.closes_at ? `${dayOf(session_window.closes_at, zone)}, ${timeOfDay(session_window.closes_at, zone)}` : 'closed'}
        </Fact>
        <Fact label="Time zone">{zone}</Fact>
        <Group justify="space-between" wrap="nowrap" gap={4} mih={22} mt={4}>
          <Text size="sm" c="dimmed" id="auto-reply-label" style={{ whiteSpace: 'nowrap' }}>
            Automatic replies
          </Text>
          {isOff ? (
            <Text size="xs" style={{ whiteSpace: 'nowrap' }}>
              off for the business
            </Text>
          ) : business.isPending ? null : (
            <Switch
              size="sm"
              aria-labelledby="auto-reply-label"
              checked={auto_reply}
              disabled={change.isPending}
              onChange={(e) => change.mutate({ auto_reply: e.currentTarget.checked })}
            />
          )}
        </Group>
        {auto_reply && !isOff && assigned_to && <Dimmed size="xs">Paused while the conversation is assigned.</Dimmed>}
      </Part>
      <Part title="Labels">
        <LabelsField conversation={conversation} />
      </Part>
      <Part title="Messages to this customer">
        <OptOut conversation={conversation} />
      </Part>
      {notes.length > 0 && (
        <Part title="Notes">
          {notes.map(({ message_id, text, author, at }) => (
            <Text key={message_id} size="sm" {...TYPED} ta="start">
              {text}{' '}
              <Text span size="xs" c="dimmed">
                {author.name || 'Former colleague'} · {dayOf(at, zone)}
              </Text>
            </Text>
          ))}
        </Part>
      )}
      {/* The log responds after the thread, so its part is the last one and moves nothing. */}
      {templates.length > 0 && (
        <Part title="Recent templates">
          {templates.map(({ message_id, template, at, delivery_status }) => (
            <Fact key={message_id} label={template} isMain>
              {[dayOrTime(at, zone), delivery_status].filter(Boolean).join(' ')}
            </Fact>
          ))}
        </Part>
      )}
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Box>
      <Title order={2} fz={11} c="dimmed" tt="uppercase" mb={4} style={{ letterSpacing: '.04em' }}>
        {title}
      </Title>
      {children}
    </Box>
  );
}

function Fact({ label, isMain = false, children }: { label: string; isMain?: boolean; children: ReactNode }) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm" py={1}>
      <Text size="sm" c={isMain ? undefined : 'dimmed'} truncate={isMain} style={{ flexShrink: isMain ? 1 : 0 }}>
        {label}
      </Text>
      <Text
        size="sm"
        c={isMain ? 'dimmed' : undefined}
        ta="right"
        dir="auto"
        style={{ overflowWrap: 'anywhere', flexShrink: isMain ? 0 : 1 }}
      >
        {children}
      </Text>
    </Group>
  );
}
