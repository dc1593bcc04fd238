import { Group, Text } from '@mantine/core';
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
  const params = { path: { phone } };
  const optOut = useMutation({
    mutationFn: () => request(api.PUT('/api/client/suppressions/{phone}', { params, body: { state: 'opted_out' } })),
    onSuccess: refresh,
  });
  const lift = useMutation({
    mutationFn: () => request(api.DELETE('/api/client/suppressions/{phone}', { params })),
    onSuccess: refresh,
  });
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">{suppression_state ? suppression_state.replaceAll('_', ' ') : 'allowed'}</Text>
      {mayChange &&
        (suppression_state ? (
          <ConfirmButton
            size="compact-xs"
            variant="default"
            loading={lift.isPending}
            question={`Allow messages to ${nameOf(conversation)} again?`}
            onConfirm={() => lift.mutate()}
          >
            Allow
          </ConfirmButton>
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
