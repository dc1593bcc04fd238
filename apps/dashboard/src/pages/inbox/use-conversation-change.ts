import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, request, type Schemas } from '../../api/client';

/** Assigns, closes or reopens a conversation, or marks it as read. @param onError replaces the notification of a failure */
export function useConversationChange(id: number, onError?: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas['ChangeConversationRequest']) =>
      request(api.PATCH('/api/client/conversations/{id}', { params: { path: { id } }, body })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['inbox'] }),
    ...(onError && { onError }),
  });
}
