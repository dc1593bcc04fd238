import { Alert, Group, Text } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, request } from '../../api/client';
import { useMayCall } from '../../api/session';
import { ConfirmButton } from '../../components/confirm-button';
import { nameOf, type Conversation } from './conversation';

/** Whether the business may write to the person, and the change of it. */
export function OptOut({ conversation }: { conversation: Conversation }) {
  const queries = useQueryClient();
  const mayChange = useMayCall('PUT /api/client/suppressions/{phone}');
  const { suppression_state, customer_phone: phone } = conversation;
  const refresh = () => void queries.invalidateQueries({ queryKey: ['inbox'] });
  const optOut = useMutation({
    mutationFn: () => request(api.PUT('/api/client/suppressions/{phone}', { params: { path: { phone } }, body: { state: 'opted_out' } })),
    onSuccess: refresh,
  });
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">{suppression_state ? suppression_state.replaceAll('_', ' ') : 'allowed'}</Text>
      {mayChange &&
        (suppression_state ? (
          <AllowButton conversation={conversation} size="compact-xs">
            Allow
          </AllowButton>
        ) : (
          <ConfirmButton
            size="compact-xs"
            variant="default"
            loading={optOut.isPending}
            question={`Stop all messages to ${nameOf(conversation)}?`}
            onConfirm={() => optOut.mutate()}
          >
            Opt out
          </ConfirmButton>
        ))}
    </Group>
  );
}

/** Explains, in place of the reply field, why nothing can be sent. */
export function OptOutNotice({ conversation }: { conversation: Conversation }) {
  const mayChange = useMayCall('PUT /api/client/suppressions/{phone}');
  const isBlocked = conversation.suppression_state === 'blocked';
  return (
    <Alert role="status" color="red" icon={<IconBan />} title={isBlocked ? 'This customer is blocked' : 'This customer opted out'} p="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" style={{ flex: '1 1 220px' }}>
          Messages to this customer are refused. You can still write a note for your team.
        </Text>
        {mayChange && <AllowButton conversation={conversation}>Allow messages</AllowButton>}
      </Group>
    </Alert>
  );
}

function AllowButton({ conversation, size, children }: { conversation: Conversation; size?: string; children: string }) {
  const queries = useQueryClient();
  const lift = useMutation({
    mutationFn: () => request(api.DELETE('/api/client/suppressions/{phone}', { params: { path: { phone: conversation.customer_phone } } })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['inbox'] }),
  });
  return (
    <ConfirmButton
      {...(size && { size })}
      variant="default"
      loading={lift.isPending}
      question={`Allow messages to ${nameOf(conversation)} again?`}
      onConfirm={() => lift.mutate()}
    >
      {children}
    </ConfirmButton>
  );
}
