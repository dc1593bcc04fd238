import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ApiError, request, notifyError } from './client';
import type { Schemas } from './client';
import { newIdempotencyKey } from './idempotency-key';

/** An uploaded file, and its kind of message. */
export type ReplyFile = Required<Pick<Schemas['FileReplyRequest'], 'media_id' | 'media_type'>> & { filename: string };

interface Draft {
  /** The Idempotency-Key: however often it is retried, the customer gets it once. */
  key: string;
  /** With a file: its caption. */
  text: string;
  file?: ReplyFile | undefined;
  /** The message that it quotes. */
  replyTo?: string | undefined;
}
/** A reply that was not accepted yet; `problem` is null while its request runs. */
export interface Unsent extends Draft {
  problem: string | null;
}

/** Sends replies to one conversation, one at a time, and keeps failed ones for a retry. */
export function useReplies(conversationId: number) {
  const queries = useQueryClient();
  const [unsent, setUnsent] = useState<Unsent[]>([]);
  const others = (list: Unsent[], key: string) => list.filter((one) => one.key !== key);
  const send = useMutation({
    mutationFn: ({ key, text, file, replyTo }: Draft) => {
      const params = { path: { id: conversationId }, header: { 'Idempotency-Key': key } };
      const quote = { ...(replyTo !== undefined && { reply_to: replyTo }) };
      return request(
        file
          ? api.POST('/api/client/conversations/{id}/files', { params, body: { ...file, ...quote, caption: text || null } })
          : api.POST('/api/client/conversations/{id}/messages', { params, body: { text, ...quote } }),
      );
    },
    onSuccess: (_, { key }) => {
      setUnsent((list) => others(list, key));
      void queries.invalidateQueries({ queryKey: ['inbox'] });
    },
    onError: (error, draft) => {
      notifyError(error);
      const problem = error instanceof ApiError ? error.message : 'The server did not respond.';
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
    send: (draft: Omit<Draft, 'key'>) => post({ ...draft, key: newIdempotencyKey() }),
    again: post,
    drop: ({ key }: Draft) => setUnsent((list) => others(list, key)),
  };
}
