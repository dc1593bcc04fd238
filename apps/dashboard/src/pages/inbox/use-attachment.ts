import { skipToken, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ClipboardEvent } from 'react';
import { ApiError, notifyError, type Schemas } from '../../api/client';
import { InputError } from '../../api/input-error';
import { keptValue } from '../../api/kept-value';
import { useMe } from '../../api/session';
import { uploadFile } from '../../api/upload-file';
import { sendableFile, type MediaType } from './sendable-file';

/** The part of an attachment that survives a reload of the tab. */
interface KeptFile {
  filename: string;
  kind: MediaType;
  size: number;
  /** Null until it is uploaded. */
  mediaId: string | null;
}

/** A file that the next reply carries. */
export interface Attachment extends KeptFile {
  /** From 0 to 1. */
  progress: number;
  /** Undefined after a reload of the tab. */
  upload?: { file: File; control: AbortController };
}

interface Attaching {
  attachment: Attachment | null;
  problem: string | null;
}

const NOTHING: Attaching = { attachment: null, problem: null };

/** WhatsApp's longest caption. */
const MAX_CAPTION = 1024;

/** @returns why the text cannot be the caption, or null */
export function captionProblem({ kind }: Attachment, text: string): string | null {
  if (kind === 'audio' && text.trim()) return 'WhatsApp allows no caption with audio: send the text by itself.';
  return [...text].length > MAX_CAPTION ? `A caption has at most ${MAX_CAPTION} characters.` : null;
}

const attachmentKey = (userId: number, conversationId: number) => ['attachment', userId, conversationId];
const keptAttachment = (userId: number, conversationId: number) => keptValue<KeptFile>(userId, `attachment ${conversationId}`);

function setAttaching(queries: QueryClient, userId: number, conversationId: number, attaching: Attaching): void {
  queries.setQueryData<Attaching>(attachmentKey(userId, conversationId), attaching);
  const kept = keptAttachment(userId, conversationId);
  if (!attaching.attachment) return kept.forget();
  const { filename, kind, size, mediaId } = attaching.attachment;
  kept.write({ filename, kind, size, mediaId });
}

/** Moves a file to the conversation into which its own was merged. @returns false while it is being uploaded */
export function moveAttachment(queries: QueryClient, userId: number, from: number, to: number): boolean {
  const attaching = queries.getQueryData<Attaching>(attachmentKey(userId, from)) ?? NOTHING;
  if (attaching.attachment?.mediaId === null) return false;
  if (attaching.attachment) setAttaching(queries, userId, to, attaching);
  setAttaching(queries, userId, from, NOTHING);
  return true;
}

/**
 * The file that an agent attaches by a button, by dropping or pasting it. It is uploaded at once, while the agent writes the caption, and stays
 * with the conversation like its draft (decision 744).
 * @param refusal why the conversation takes no file now, or null
 */
export function useAttachment(conversationId: number, refusal: string | null) {
  const queries = useQueryClient();
  const { id: userId } = useMe().user;
  const queryKey = attachmentKey(userId, conversationId);
  // Outlives the component: an upload goes on while another conversation is open.
  const { data: attaching = NOTHING } = useQuery({
    queryKey,
    queryFn: skipToken,
    gcTime: Infinity,
    initialData: () => restored(keptAttachment(userId, conversationId).read()),
  });
  const [isDropping, setDropping] = useState(false);
  const set = (attachment: Attachment | null, problem: string | null) =>
    setAttaching(queries, userId, conversationId, { attachment, problem });
  const remove = () => {
    queries.getQueryData<Attaching>(queryKey)?.attachment?.upload?.control.abort();
    set(null, null);
  };
  const attach = ([file, ...others]: File[]) => {
    if (!file) return;
    remove();
    const { name: filename, size } = file;
    const checked = sendableFile(file);
    if ('problem' in checked) return set(null, checked.problem);
    const control = new AbortController();
    const { kind } = checked;
    const problem = others.length > 0 ? 'A message carries one file. Send the others after this one.' : null;
    set({ filename, kind, size, mediaId: null, progress: 0, upload: { file, control } }, problem);
    const change = (changes: Partial<Attachment>) => {
      const now = queries.getQueryData<Attaching>(queryKey);
      if (now?.attachment?.upload?.control === control) set({ ...now.attachment, ...changes }, now.problem);
    };
    uploadFile<Schemas['UploadedMedia']>('/api/client/media', file, (progress) => change({ progress }), control.signal)
      .then(({ media_id }) => change({ progress: 1, mediaId: media_id }))
      .catch((error: Error) => {
        if (control.signal.aborted) return;
        const hint = error instanceof ApiError && error.hint ? ` ${error.hint}` : '';
        set(null, `${filename} was not uploaded: ${error.message}${hint}`);
      });
  };
  const isEnabled = refusal === null;
  const drop = (files: File[]) => (isEnabled ? attach(files) : notifyError(new InputError(refusal)));
  const listener = useRef(drop);
  listener.current = drop;
  useEffect(() => {
    const listeners = new AbortController();
    const listen = (type: 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void) =>
      window.addEventListener(
        type,
        (event) => {
          if (event.dataTransfer?.types.includes('Files')) act(event);
        },
        { signal: listeners.signal },
      );
    listen('dragover', () => setDropping(isEnabled));
    listen('dragleave', ({ relatedTarget }) => relatedTarget === null && setDropping(false));
    listen('drop', ({ dataTransfer }) => {
      setDropping(false);
      listener.current([...(dataTransfer?.files ?? [])]);
    });
    return () => {
      listeners.abort();
      setDropping(false);
    };
  }, [isEnabled]);
  const paste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    // Spreadsheets and word processors add a picture of a copied text. A copied file or picture has no text beside its HTML.
    const isText = event.clipboardData.types.includes('text/html') && event.clipboardData.getData('text/plain').trim() !== '';
    if (!isEnabled || files.length === 0 || isText) return;
    event.preventDefault();
    attach(files);
  };
  return { ...attaching, isDropping, attach, remove, paste };
}

function restored(file: KeptFile | null): Attaching {
  if (!file?.mediaId) return { attachment: null, problem: file && `${file.filename} was not uploaded: the page closed. Attach it again.` };
  return { attachment: { ...file, progress: 1 }, problem: null };
}
