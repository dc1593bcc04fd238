import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, request } from '../../api/client';
import { JSON_TYPE } from './sent-request';

/** Redelivers a delivery of a webhook by its id. */
export function useRedeliver(webhook_id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (delivery_id: number) =>
      request(
        api.POST('/api/client/webhooks/{id}/deliveries/{delivery_id}/redeliver', {
          params: { path: { id: webhook_id, delivery_id } },
          headers: JSON_TYPE,
        }),
      ),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['webhooks', webhook_id] }),
  });
}
