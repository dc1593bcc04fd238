import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, ApiError, request, notifyError } from './client';
import type { Schemas } from './client';
import { newIdempotencyKey } from './idempotency-key';
import { keptValue } from './kept-value';
import { useMe } from './session';

/** An uploaded file, and its kind of message. */
type ReplyFile = Required<Pick<Schemas['FileReplyRequest'], 'media_id' | 'media_type'>> & { filename: string };

interface Draft {
  /** The Idempotency-Key: however often it is retried, the customer gets it once. */
  key: string;
  /** When it was first sent, in milliseconds. */
  firstSentAt: number;
  /** With a file: its caption. */
  text: string;
  file?: ReplyFile | undefined;
  /** The message that it quotes. */
  replyTo?: string | undefined;
}
/** A reply that was not accepted yet; `problem` is null while its request runs. */
export interface Unsent extends Draft {
  problem: string | null;
  /** The error code of the problem; null if there was no response. */
  code?: string | null;
}

/** The gateway keeps a key for 24 hours (decision 24). A later retry could send twice, so it is not offered. */
const RETRY_WITHIN_MS = 23 * 3_600_000;
/** The problem of a reply whose request ended with its page, which may have reached the gateway. */
const INTERRUPTED = 'The page closed before the server responded.';

/**
 * Sends replies to one conversation, one at a time, and keeps failed ones for a retry, even when another conversation is opened and after a
 * reload of this tab (decision 590).
 */
export function useReplies(conversationId: number) {
  const queries = useQueryClient();
  const { id: userId } = useMe().user;
  const queryKey = ['unsent', userId, conversationId];
  const kept = keptValue<Unsent[]>(userId, `unsent ${conversationId}`);
  // Outlives the component: a request goes on while another conversation is open.
  const { data: unsent = [] } = useQuery({
    queryKey,
    queryFn: skipToken,
    gcTime: Infinity,
    initialData: () => (kept.read() ?? []).map((one) => ({ ...one, problem: one.problem ?? INTERRUPTED })),
  });
  const replace = (key: string, by?: Unsent) => {
    const others = (queries.getQueryData<Unsent[]>(queryKey) ?? []).filter((one) => one.key !== key);
    const list = by ? [...others, by] : others;
    queries.setQueryData(queryKey, list);
    if (list.length > 0) kept.write(list);
    else kept.forget();
  };
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
      replace(key);
      void queries.invalidateQueries({ queryKey: ['inbox'] });
    },
    onError: (error, draft) => {
      // The bubble in an open conversation shows the problem.
      if (!queries.getQueryCache().find({ queryKey })?.getObserversCount()) notifyError(error);
      const known = error instanceof ApiError ? error : null;
      replace(draft.key, { ...draft, problem: known?.message ?? 'The server did not respond.', code: known?.code ?? null });
      // A refusal may have changed what the conversation allows.
      void queries.invalidateQueries({ queryKey: ['inbox'] });
    },
  });
  const post = (draft: Draft) => {
    replace(draft.key, { ...draft, problem: null });
    send.mutate(draft);
  };
  const isSending = unsent.some(({ problem }) => problem === null);
  return {
    unsent,
    isSending,
    mayRetry: ({ firstSentAt }: Unsent) => !isSending && Date.now() - firstSentAt < RETRY_WITHIN_MS,
    send: (draft: Omit<Draft, 'key' | 'firstSentAt'>) => post({ ...draft, key: newIdempotencyKey(), firstSentAt: Date.now() }),
    again: post,
    drop: ({ key }: Unsent) => replace(key),
  };
}
