import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ApiError, ask, complain } from './client';
import { newKey } from './idempotency';

interface Draft {
  /** Its Idempotency-Key: however often it is tried, the customer gets it once. */
  key: string;
  text: string;
}
/** A reply that was not accepted yet; `problem` is null while it is under way. */
export interface Unsent extends Draft {
  problem: string | null;
}

/** Replies to one conversation, one at a time; what failed is kept to be sent again. */
export function useReplies(conversationId: number) {
  const queries = useQueryClient();
  const [unsent, setUnsent] = useState<Unsent[]>([]);
  const others = (list: Unsent[], key: string) => list.filter((one) => one.key !== key);
  const send = useMutation({
    mutationFn: ({ key, text }: Draft) => {
      const params = { path: { id: conversationId }, header: { 'Idempotency-Key': key } };
      return ask(api.POST('/api/client/conversations/{id}/messages', { params, body: { text } }));
    },
    onSuccess: (_, { key }) => {
      setUnsent((list) => others(list, key));
      void queries.invalidateQueries({ queryKey: ['inbox'] });
    },
    onError: (error, draft) => {
      complain(error);
      const problem = error instanceof ApiError ? error.message : 'No answer came.';
      setUnsent((list) => [...others(list, draft.key), { ...draft, problem }]);
    },
  });
  const post = (draft: Draft) => {
    setUnsent((list) => [...others(list, draft.key), { ...draft, problem: null }]);
    send.mutate(draft);
  };
  return {
    unsent,
    isSending: unsent.some(({ problem }) => problem === null),
    send: (text: string) => post({ key: newKey(), text }),
    again: post,
    drop: ({ key }: Draft) => setUnsent((list) => others(list, key)),
  };
}
