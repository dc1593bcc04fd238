import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { api, request, type Schemas } from './client';
import { newIdempotencyKey } from './idempotency-key';

/** Creates a broadcast. An unchanged draft keeps its Idempotency-Key, so that a retry after a lost response creates no second one. */
export function useCreateBroadcast(onMade: (made: Schemas['Made']) => void) {
  const queries = useQueryClient();
  const last = useRef({ draft: '', key: '' });
  return useMutation({
    mutationFn: (body: Schemas['CreateBroadcastRequest']) => {
      const draft = JSON.stringify(body);
      if (last.current.draft !== draft) last.current = { draft, key: newIdempotencyKey() };
      return request(api.POST('/api/client/broadcasts', { params: { header: { 'Idempotency-Key': last.current.key } }, body }));
    },
    onSuccess: (made) => {
      last.current = { draft: '', key: '' };
      void queries.invalidateQueries({ queryKey: ['broadcasts'] });
      onMade(made);
    },
  });
}
