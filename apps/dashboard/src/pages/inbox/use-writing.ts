import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, notifyError, request } from '../../api/client';
import { keyOfRequest, newIdempotencyKey } from '../../api/idempotency-key';
import { keptValue } from '../../api/kept-value';
import { newestOwn } from '../../api/newest-own';
import { useMe } from '../../api/session';
import { useKeptState } from '../../api/use-kept-state';
import { moveUnsent, useReplies, type Unsent } from '../../api/use-replies';
import type { Draft } from './composer';
import { isUnreachable, type Conversation } from './conversation';
import type { ThreadMessage } from './thread-message';
import { captionProblem, moveAttachment, useAttachment } from './use-attachment';
import { variableProblem } from './variable-problem';

const NO_DRAFT: Draft = { kind: 'reply', reply: '', note: '' };

const draftName = (id: number) => `drafts ${id}`;

/**
 * A person's writing in a conversation: the draft of a reply or a note, its file, and the replies that are not sent yet.
 * @param id by which the conversation was opened; its own differs after a merge
 * @param messages those of the thread
 */
export function useWriting(id: number, conversation: Conversation, messages: ThreadMessage[]) {
  const queries = useQueryClient();
  const [draft, setDraft, , changeDraft] = useKeptState<Draft>(draftName(id), NO_DRAFT);
  const attaching = useAttachment(id, fileRefusal(conversation, draft));
  const replies = useReplies(id, messages);
  const userId = useMe().user.id;
  const newestNote = (text: string) => newestOwn(messages, userId, 'note', text);
  /** The id of the note or the template that the person sent last. */
  const [sentId, setSentId] = useState<string>();
  const addNote = useMutation({
    mutationFn: ({ text, seed }: { text: string; seed: string; before: string | undefined }) => {
      const body = { text };
      const header = { 'Idempotency-Key': keyOfRequest(seed, body) };
      return request(api.POST('/api/client/conversations/{id}/notes', { params: { path: { id }, header }, body }));
    },
    onError: (error, { text, seed }) => {
      notifyError(error);
      changeDraft((since) => ({ ...since, kind: 'note', note: before(text, since.note), noteSeed: seed }));
    },
    onSuccess: (note) => {
      setSentId(`note:${note.id}`);
      // The team's text typed since then must not become a reply.
      changeDraft((since) => (since.note === '' ? { ...since, kind: 'reply' } : since));
      void queries.invalidateQueries({ queryKey: ['inbox'] });
    },
  });
  const isSending = replies.isSending || addNote.isPending;
  const isNoteShown = messages.some(({ message_id }) => message_id === `note:${addNote.data?.id}`);
  useEffect(() => {
    if (isNoteShown) addNote.reset();
  }, [isNoteShown]);
  const savedNote =
    addNote.isPending || addNote.isSuccess ? { text: addNote.variables.text, at: new Date(addNote.submittedAt).toISOString() } : null;
  // A refresh may show the note before the response to its request.
  const isNoteEarly = addNote.isPending && ![undefined, addNote.variables.before].includes(newestNote(addNote.variables.text));
  const newNote = isNoteShown || isNoteEarly ? null : savedNote;
  const send = () => {
    const { kind, reply: text, note } = draft;
    const { attachment } = attaching;
    if (isSending) return;
    if (kind === 'note') {
      if (!note.trim()) return;
      addNote.mutate({ text: note, seed: draft.noteSeed ?? newIdempotencyKey(), before: newestNote(note) });
      return setDraft({ ...draft, note: '', noteSeed: undefined });
    }
    if (attachment ? attachment.mediaId === null || captionProblem(attachment, text) : !text.trim()) return;
    if (variableProblem(text)) return;
    const file = attachment?.mediaId && { media_id: attachment.mediaId, media_type: attachment.kind, filename: attachment.filename };
    replies.send({ text, replyTo: draft.quoted, ...(file && { file }) });
    attaching.remove();
    setDraft({ ...draft, reply: '', quoted: undefined });
  };
  return {
    draft,
    setDraft,
    attaching,
    replies,
    isSending,
    send,
    /** The ids of the person's own lines, which come into view. */
    own: [...replies.unsent.map(({ key }) => key), ...(newNote ? [newNote.at] : []), ...(sentId === undefined ? [] : [sentId])],
    /** A note of the person that the thread does not show yet. */
    newNote,
    setSentId,
    /** Returns a reply that was not sent to the field. */
    edit: (unsent: Unsent) => {
      replies.drop(unsent);
      if (unsent.file) return;
      setDraft((now) => ({ ...now, kind: 'reply', reply: before(unsent.text, now.reply), quoted: unsent.replyTo ?? now.quoted }));
    },
  };
}

/** Moves a person's writing to the conversation into which theirs was merged. @returns false while a reply is being sent or a file uploaded */
export function moveWriting(queries: QueryClient, userId: number, from: number, to: number): boolean {
  if (!moveAttachment(queries, userId, from, to) || !moveUnsent(queries, userId, from, to)) return false;
  const [left, entered] = [keptValue<Draft>(userId, draftName(from)), keptValue<Draft>(userId, draftName(to))];
  const [draft, other] = [left.read(), entered.read()];
  if (draft)
    entered.write(other ? { ...other, ...draft, reply: before(other.reply, draft.reply), note: before(other.note, draft.note) } : draft);
  left.forget();
  return true;
}

/** Puts a text that returns to its field before the one that was typed since. */
const before = (text: string, since: string): string => [text, since].filter(Boolean).join('\n');

/** @returns why no file can be attached, or null */
function fileRefusal(conversation: Conversation, { kind }: Draft): string | null {
  if (kind === 'note') return 'A note has no files. Choose “Reply” to send the file to the customer.';
  if (isUnreachable(conversation)) return 'Messages to this customer are refused.';
  return conversation.session_window.open ? null : 'The 24-hour window is closed. Send the file when the customer has written again.';
}
