import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, notifySuccess, request } from '../../api/client';
import type { Plan } from './plans';

interface BusinessChange {
  plan?: Plan;
  broadcast_daily_limit?: number;
  suspended?: boolean;
}

export function useChangeBusiness(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: BusinessChange) => request(api.PATCH('/api/admin/businesses/{id}', { params: { path: { id } }, body })),
    onSuccess: ({ message }) => {
      notifySuccess(message);
      void queries.invalidateQueries();
    },
  });
}
