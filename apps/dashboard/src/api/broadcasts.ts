import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { api, ask, type Schemas } from './client';
import { newKey } from './idempotency';

/** Makes a broadcast. A draft that is not changed keeps its Idempotency-Key: tried again after its answer was lost, it is not made twice. */
export function useCreateBroadcast(onMade: (made: Schemas['Made']) => void) {
  const queries = useQueryClient();
  const asked = useRef({ draft: '', key: '' });
  return useMutation({
    mutationFn: (body: Schemas['CreateBroadcastRequest']) => {
      const draft = JSON.stringify(body);
      if (asked.current.draft !== draft) asked.current = { draft, key: newKey() };
      return ask(api.POST('/api/client/broadcasts', { params: { header: { 'Idempotency-Key': asked.current.key } }, body }));
    },
    onSuccess: (made) => {
      asked.current = { draft: '', key: '' };
      void queries.invalidateQueries({ queryKey: ['broadcasts'] });
      onMade(made);
    },
  });
}
