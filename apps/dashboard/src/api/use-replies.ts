import { skipToken, useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, ApiError, request, notifyError } from './client';
import type { Schemas } from './client';
import { newIdempotencyKey } from './idempotency-key';
import { keptValue } from './kept-value';
import { newestOwn, type WrittenMessage } from './newest-own';
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
  /** The newest message with its content when it was first sent. */
  before?: string | undefined;
}
/** A reply that was not accepted yet; `problem` is null while its request runs. */
export interface Unsent extends Draft {
  problem: string | null;
  /** The error code of the problem; null if there was no response. */
  code?: string | null;
  /** The id of its message once the gateway accepted it; the thread does not show it yet. */
  messageId?: string;
}

/** The gateway keeps a key for 24 hours (decision 24). A later retry could send twice, so it is not offered. */
const RETRY_WITHIN_MS = 23 * 3_600_000;
/** A request whose response was lost is repeated after this time, in milliseconds, unless the computer slept meanwhile. */
const REPEAT_AFTER_MS = 1_000;
const REPEAT_WITHIN_MS = 5_000;
/** The problem of a reply whose request ended with its page, which may have reached the gateway. */
const INTERRUPTED = 'The page closed before the server responded.';

const unsentKey = (userId: number, conversationId: number) => ['unsent', userId, conversationId];
const keptUnsent = (userId: number, conversationId: number) => keptValue<Unsent[]>(userId, `unsent ${conversationId}`);
const isWaiting = ({ problem, messageId }: Unsent) => problem === null && messageId === undefined;

function setUnsent(queries: QueryClient, userId: number, conversationId: number, list: Unsent[]): void {
  queries.setQueryData(unsentKey(userId, conversationId), list);
  const kept = keptUnsent(userId, conversationId);
  const open = list.filter(({ messageId }) => messageId === undefined);
  if (open.length > 0) kept.write(open);
  else kept.forget();
}

/** Moves unsent replies to the conversation into which theirs was merged. @returns false while one of them is being sent */
export function moveUnsent(queries: QueryClient, userId: number, from: number, to: number): boolean {
  const unsentOf = (id: number) => queries.getQueryData<Unsent[]>(unsentKey(userId, id)) ?? keptUnsent(userId, id).read() ?? [];
  const moved = unsentOf(from);
  if (moved.some(isWaiting)) return false;
  if (moved.length > 0) setUnsent(queries, userId, to, [...unsentOf(to), ...moved]);
  setUnsent(queries, userId, from, []);
  return true;
}

/**
 * Sends replies to one conversation, one at a time, and keeps failed ones for a retry, even when another conversation is opened and after a
 * reload of this tab (decision 590).
 * @param shown the messages of the thread: a reply leaves `unsent` when it is among them, so that it is never out of sight
 */
export function useReplies(conversationId: number, shown: WrittenMessage[]) {
  const queries = useQueryClient();
  const { id: userId } = useMe().user;
  const queryKey = unsentKey(userId, conversationId);
  // Outlives the component: a request goes on while another conversation is open.
  const { data: all = [] } = useQuery({
    queryKey,
    queryFn: skipToken,
    gcTime: Infinity,
    initialData: () => (keptUnsent(userId, conversationId).read() ?? []).map((one) => ({ ...one, problem: one.problem ?? INTERRUPTED })),
  });
  const change = (by: (list: Unsent[]) => Unsent[]) =>
    setUnsent(queries, userId, conversationId, by(queries.getQueryData<Unsent[]>(queryKey) ?? []));
  const replace = (key: string, by?: Unsent) => change((list) => [...list.filter((one) => one.key !== key), ...(by ? [by] : [])]);
  const isShown = ({ messageId }: Unsent) => messageId !== undefined && shown.some(({ message_id }) => message_id === messageId);
  useEffect(() => {
    if (all.some(isShown)) change((list) => list.filter((one) => !isShown(one)));
  });
  const newest = ({ text, file }: Pick<Draft, 'text' | 'file'>) => newestOwn(shown, userId, file?.media_type ?? 'text', text);
  // The event of a message may come before the response to its request, which alone decides whether the reply was sent.
  const isEarly = (one: Unsent) => isWaiting(one) && ![undefined, one.before].includes(newest(one));
  // The thread is loaded again when the conversation is opened again.
  useEffect(() => () => change((list) => list.filter(({ messageId }) => messageId === undefined)), []);
  const send = useMutation({
    mutationFn: async (draft: Draft) => {
      try {
        return await postReply(conversationId, draft);
      } catch (error) {
        // The gateway may have it: the same key sends it once.
        if (!isLost(error)) throw error;
        const failed = Date.now();
        await new Promise((resume) => setTimeout(resume, REPEAT_AFTER_MS));
        if (Date.now() - failed > REPEAT_WITHIN_MS) throw error;
        return postReply(conversationId, draft);
      }
    },
    onSuccess: ({ message_id }, draft) => {
      const isOpen = isObserved();
      replace(draft.key, isOpen ? { ...draft, problem: null, messageId: message_id } : undefined);
      void queries.invalidateQueries({ queryKey: ['inbox'] });
    },
    onError: (error, draft) => {
      // The bubble in an open conversation shows the problem.
      if (!isObserved()) notifyError(error);
      const known = error instanceof ApiError ? error : null;
      replace(draft.key, { ...draft, problem: known?.message ?? 'The server did not respond.', code: known?.code ?? null });
      // A refusal may have changed what the conversation allows.
      void queries.invalidateQueries({ queryKey: ['inbox'] });
    },
  });
  const isObserved = () => (queries.getQueryCache().find({ queryKey })?.getObserversCount() ?? 0) > 0;
  const post = (draft: Draft) => {
    replace(draft.key, { ...draft, problem: null });
    send.mutate(draft);
  };
  const isSending = all.some(isWaiting);
  return {
    unsent: all.filter((one) => !isShown(one) && !isEarly(one)),
    isSending,
    mayRetry: ({ firstSentAt }: Unsent) => !isSending && Date.now() - firstSentAt < RETRY_WITHIN_MS,
    send: (draft: Omit<Draft, 'key' | 'firstSentAt' | 'before'>) =>
      post({ ...draft, key: newIdempotencyKey(), firstSentAt: Date.now(), before: newest(draft) }),
    again: post,
    drop: ({ key }: Unsent) => replace(key),
  };
}

function postReply(conversationId: number, { key, text, file, replyTo }: Draft) {
  const params = { path: { id: conversationId }, header: { 'Idempotency-Key': key } };
  const quote = { ...(replyTo !== undefined && { reply_to: replyTo }) };
  return request(
    file
      ? api.POST('/api/client/conversations/{id}/files', { params, body: { ...file, ...quote, caption: text || null } })
      : api.POST('/api/client/conversations/{id}/messages', { params, body: { text, ...quote } }),
  );
}

/** Whether the connection broke before the response. Without a network an action fails at once (decision 187). */
const isLost = (error: unknown): boolean =>
  navigator.onLine && error instanceof Error && !(error instanceof ApiError) && error.name !== 'AbortError';
