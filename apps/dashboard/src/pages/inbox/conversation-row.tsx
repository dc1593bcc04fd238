import '@mantine/core/styles/Mark.css';
import { Badge, Box, Group, Highlight, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconUser } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useMe } from '../../api/session';
import { useZone } from '../../api/use-zone';
import { duration, useNow } from '../../components/clock';
import { dayOrTime } from '../../components/clock-time';
import { phoneShown } from '../../components/phone-shown';
import { TypedLine } from '../../components/typed-line';
import { FORMER } from './assignee-picker';
import { nameOf, type ListedConversation } from './conversation';
import { LabelChips } from './label-chips';
import { PersonAvatar } from './person-avatar';
import { previewAuthor, shownText } from './thread-message';

/** From this time on a row shows how long the customer waits. */
const WAITING_MS = 5 * 60_000;

/**
 * A conversation in the list.
 * @param search its words are highlighted, and a message that has them stands for the last one
 * @param isNamesake whether another customer in the list has the same name, so that only the number distinguishes them
 */
export function ConversationRow({
  conversation,
  search,
  isNamesake = false,
  isOpen,
  onOpen,
}: {
  conversation: ListedConversation;
  search: string;
  isNamesake?: boolean;
  isOpen: boolean;
  onOpen: () => void;
}) {
  const now = useNow();
  const { user } = useMe();
  const zone = useZone();
  const { last_message, found, unread_count, labels, needs_agent, waiting_since, created_at, session_window, assigned_to } = conversation;
  const name = nameOf(conversation);
  const at = (found ?? last_message)?.at ?? created_at;
  const prefix = found ? found.direction === 'out' && 'Sent' : last_message?.direction === 'out' && previewAuthor(last_message, user.id);
  const words = search.split(/\s+/).filter(Boolean);
  const waitedMs = waiting_since === null ? 0 : now - new Date(waiting_since).getTime();
  const isUnread = unread_count > 0;
  return (
    <UnstyledButton
      className="inbox-row"
      data-conversation={conversation.id}
      onClick={onOpen}
      aria-current={isOpen}
      data-unread={isUnread || undefined}
    >
      <PersonAvatar name={name} />
      <Box style={{ minWidth: 0, flex: 1 }}>
        <Group gap={6} wrap="nowrap">
          <Highlight highlight={words} size="sm" fw={isUnread ? 700 : 500} truncate dir="auto" ta="left">
            {name}
          </Highlight>
          {isNamesake && (
            <Text size="xs" c="dimmed" style={{ flexShrink: 0 }}>
              {phoneShown(conversation.customer_phone)}
            </Text>
          )}
          <Text size="xs" c="dimmed" component="time" dateTime={at} ml="auto" style={{ flexShrink: 0 }}>
            {dayOrTime(at, zone)}
          </Text>
        </Group>
        <Group gap={6} wrap="nowrap" align="flex-start">
          <Box fz="sm" lh="sm" c={isUnread ? undefined : 'dimmed'} fw={isUnread ? 600 : undefined} style={{ minWidth: 0, flex: 1 }}>
            <TypedLine
              before={
                prefix && (
                  <>
                    <bdi>{prefix}</bdi>
                    {': '}
                  </>
                )
              }
              lineClamp={found && 2}
            >
              {found ? (
                <Highlight component="span" inherit highlight={words}>
                  {found.text}
                </Highlight>
              ) : (
                last_message && shownText(last_message)
              )}
            </TypedLine>
          </Box>
          {isUnread && (
            <Badge size="sm" circle={unread_count < 10} aria-label={`${unread_count} unread`} style={{ flexShrink: 0 }}>
              {unread_count}
            </Badge>
          )}
        </Group>
        <Group gap={5} mt={3} wrap="wrap" className="inbox-chips">
          <LabelChips names={labels} />
          {waitedMs >= WAITING_MS && <Chip color="red">waiting {duration(waitedMs)}</Chip>}
          {assigned_to && assigned_to.id !== user.id && (
            <Chip color="gray" icon={<IconUser size={10} aria-hidden />}>
              <VisuallyHidden component="span">assigned to </VisuallyHidden>
              <bdi>{assigned_to.name || FORMER}</bdi>
            </Chip>
          )}
          {needs_agent && <Chip color="orange">No automatic reply</Chip>}
          {!session_window.open && session_window.last_inbound_at !== null && <Chip color="gray">window closed</Chip>}
        </Group>
      </Box>
    </UnstyledButton>
  );
}

function Chip({ color, icon, children }: { color: string; icon?: ReactNode; children: ReactNode }) {
  return (
    <Badge
      size="sm"
      variant="light"
      color={color}
      tt="none"
      fw={500}
      leftSection={icon}
      style={{ color: 'var(--mantine-color-text)', maxWidth: '100%' }}
    >
      {children}
    </Badge>
  );
}
