import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, request, type Schemas } from './client';
import { keyOfRequest, newIdempotencyKey } from './idempotency-key';
import { keptValue } from './kept-value';
import { useMe } from './session';

/**
 * Creates a broadcast. Until one was created, an unchanged draft keeps its Idempotency-Key, also over a reload, so that a retry after a lost
 * response creates no second one (decision 710).
 * @param onCreated runs even after the page is gone
 */
export function useCreateBroadcast(onCreated: (made: Schemas['Made']) => void) {
  const queries = useQueryClient();
  // Apart from the draft, whose list may be too long to keep.
  const keptSeed = keptValue<string>(useMe().user.id, 'broadcast key');
  return useMutation({
    mutationFn: (body: Schemas['CreateBroadcastRequest']) => {
      const seed = keptSeed.read() ?? newIdempotencyKey();
      keptSeed.write(seed);
      return request(api.POST('/api/client/broadcasts', { params: { header: { 'Idempotency-Key': keyOfRequest(seed, body) } }, body }));
    },
    onSuccess: (made) => {
      keptSeed.forget();
      void queries.invalidateQueries({ queryKey: ['broadcasts'] });
      onCreated(made);
    },
  });
}
