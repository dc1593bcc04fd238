import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, request } from '../../api/client';

/** Redelivers a delivery of a webhook by its id. */
export function useRedeliver(webhook_id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (delivery_id: number) =>
      request(
        api.POST('/api/client/webhooks/{id}/deliveries/{delivery_id}/redeliver', {
          params: { path: { id: webhook_id, delivery_id } },
        }),
      ),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['webhooks', webhook_id] }),
  });
}
