import { api, notifyError, request } from '../../api/client';
import { useChange } from '../../api/use-change';
import type { Plan } from './plans';

interface BusinessChange {
  plan?: Plan;
  broadcast_daily_limit?: number;
  suspended?: boolean;
}

export const useChangeBusiness = (id: number, onError: (error: Error) => void = notifyError) =>
  useChange(
    (body: BusinessChange) => request(api.PATCH('/api/admin/businesses/{id}', { params: { path: { id } }, body })),
    undefined,
    onError,
  );
