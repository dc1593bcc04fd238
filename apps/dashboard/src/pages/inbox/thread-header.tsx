import { ActionIcon, Box, Button, Group, Kbd, Text, VisuallyHidden } from '@mantine/core';
import { IconUser } from '@tabler/icons-react';
import { StateBadge } from '../../components/state-badge';
import { phoneShown } from '../../components/phone-shown';
import { AssigneePicker, FORMER } from './assignee-picker';
import { BackButton } from './back-button';
import { nameOf, type Conversation } from './conversation';
import type { useConversationChange } from './use-conversation-change';
import { WindowCountdown, WindowText } from './window-countdown';
import { visibleName } from '../../components/visible-name';

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
  const { assigned_to, status, suppression_state, customer_name, customer_phone, session_window } = conversation;
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
      <AssigneePicker assignedTo={assigned_to} onAssign={(id) => change.mutate({ assigned_to: id })} />
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
