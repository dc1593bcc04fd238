import { ActionIcon, Box, Button, Group, Kbd, Menu, Text, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconChevronDown, IconUser, IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api, request } from '../../api/client';
import { useMe } from '../../api/session';
import { StateBadge } from '../../components/state-badge';
import { phoneShown } from '../../components/phone-shown';
import { BackButton } from './back-button';
import { nameOf, type Conversation } from './conversation';
import type { useConversationChange } from './use-conversation-change';
import { WindowCountdown, WindowText } from './window-countdown';
import { visibleName } from '../../components/visible-name';

const FORMER = 'Former colleague';

/** Names the person and the agent, and closes the conversation. */
export function ThreadHeader({
  conversation,
  change,
  onBack,
  onToggle,
  onDetails,
}: {
  conversation: Conversation;
  change: ReturnType<typeof useConversationChange>;
  onBack: () => void;
  onToggle: () => void;
  onDetails: () => void;
}) {
  const { user } = useMe();
  const team = useQuery({ queryKey: ['team'], queryFn: () => request(api.GET('/api/client/team')), staleTime: 60_000 });
  const { assigned_to, status, suppression_state, customer_name, customer_phone, session_window } = conversation;
  const people = [...(team.data?.users ?? [])].sort((a, b) => Number(b.id === user.id) - Number(a.id === user.id));
  return (
    <Group className="inbox-header" gap="xs" wrap="nowrap">
      <BackButton onClick={onBack} />
      <Box style={{ flex: 1, minWidth: 0 }}>
        <Text fw={650} truncate dir="auto" ta="left" title={nameOf(conversation)}>
          {nameOf(conversation)}
        </Text>
        {visibleName(customer_name) && (
          <Text size="xs" c="dimmed" truncate visibleFrom="xs">
            {phoneShown(customer_phone)}
          </Text>
        )}
        {/* A phone has room for one line below the name. */}
        <Text size="xs" c="dimmed" truncate hiddenFrom="xs">
          <WindowText closesAt={session_window.closes_at} />
        </Text>
      </Box>
      {/* Keys change both without the focus on their buttons. */}
      <VisuallyHidden role="status">
        {status === 'open' ? 'Open' : 'Closed'}, {assigned_to ? `assigned to ${assigned_to.name || FORMER}` : 'unassigned'}
      </VisuallyHidden>
      <Group gap="xs" wrap="nowrap" visibleFrom="xs">
        {suppression_state && <StateBadge of="failed" label={suppression_state.replaceAll('_', ' ')} />}
        <WindowCountdown closesAt={session_window.closes_at} />
      </Group>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="default"
            size="xs"
            px={8}
            rightSection={<IconChevronDown size={14} />}
            aria-label={assigned_to ? `Assigned to ${assigned_to.name || FORMER}` : 'Assign to a colleague'}
          >
            <Box hiddenFrom="xs" lh={0}>
              <IconUserPlus size={16} />
            </Box>
            <Text size="sm" maw={110} truncate inherit visibleFrom="xs">
              {assigned_to ? assigned_to.name || FORMER : 'Assign'}
            </Text>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {people.map(({ id, name }) => (
            <Menu.Item
              key={id}
              leftSection={assigned_to?.id === id ? <IconCheck size={14} /> : <Box w={14} />}
              onClick={() => change.mutate({ assigned_to: id })}
            >
              {id === user.id ? `${name} (you)` : name}
            </Menu.Item>
          ))}
          {assigned_to && <Menu.Item onClick={() => change.mutate({ assigned_to: null })}>Nobody</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      <Button variant="default" size="xs" px={10} onClick={onToggle} loading={change.isPending && change.variables.status !== undefined}>
        {status === 'open' ? 'Close' : 'Reopen'}
        <Kbd size="xs" ml={6} visibleFrom="md" aria-hidden>
          e
        </Kbd>
      </Button>
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Details" className="inbox-details" onClick={onDetails}>
        <IconUser size={20} />
      </ActionIcon>
    </Group>
  );
}
