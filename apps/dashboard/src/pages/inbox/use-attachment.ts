import { useEffect, useRef, useState, type ClipboardEvent } from 'react';
import { ApiError, type Schemas } from '../../api/client';
import { uploadFile } from '../../api/upload-file';
import { sendableFile, type MediaType } from './sendable-file';

/** A file that the next reply carries. */
export interface Attachment {
  file: File;
  kind: MediaType;
  /** From 0 to 1. */
  progress: number;
  /** Null until it is uploaded. */
  mediaId: string | null;
}

/** WhatsApp's longest caption. */
const MAX_CAPTION = 1024;

/** @returns why the text cannot be the caption, or null */
export function captionProblem({ kind }: Attachment, text: string): string | null {
  if (kind === 'audio' && text.trim()) return 'WhatsApp allows no caption with audio: send the text by itself.';
  return [...text].length > MAX_CAPTION ? `A caption has at most ${MAX_CAPTION} characters.` : null;
}

/** The file that an agent attaches by a button, by dropping or pasting it. It is uploaded at once, while the agent writes the caption. */
export function useAttachment(isEnabled: boolean) {
  const [attachment, setAttachment] = useState<Attachment | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isDropping, setDropping] = useState(false);
  const upload = useRef<AbortController>(null);
  const remove = () => {
    upload.current?.abort();
    setAttachment(null);
    setProblem(null);
  };
  const attach = ([file, ...others]: File[]) => {
    if (!file) return;
    remove();
    const checked = sendableFile(file);
    if ('problem' in checked) return setProblem(checked.problem);
    if (others.length > 0) setProblem('A message carries one file. Send the others after this one.');
    const control = (upload.current = new AbortController());
    const change = (changes: Partial<Attachment>) =>
      setAttachment((now) => (now?.file === file && !control.signal.aborted ? { ...now, ...changes } : now));
    setAttachment({ file, kind: checked.kind, progress: 0, mediaId: null });
    uploadFile<Schemas['UploadedMedia']>('/api/client/media', file, (progress) => change({ progress }), control.signal)
      .then(({ media_id }) => change({ progress: 1, mediaId: media_id }))
      .catch((error: Error) => {
        if (control.signal.aborted) return;
        setAttachment(null);
        const hint = error instanceof ApiError && error.hint ? ` ${error.hint}` : '';
        setProblem(`${file.name} was not uploaded: ${error.message}${hint}`);
      });
  };
  // A file that misses the field would replace the page.
  const listener = useRef(attach);
  listener.current = attach;
  useEffect(() => {
    if (!isEnabled) return;
    const listeners = new AbortController();
    const listen = (type: 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void) =>
      window.addEventListener(
        type,
        (event) => {
          if (!event.dataTransfer?.types.includes('Files')) return;
          event.preventDefault();
          act(event);
        },
        { signal: listeners.signal },
      );
    listen('dragover', () => setDropping(true));
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
  useEffect(() => () => upload.current?.abort(), []);
  const paste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (!isEnabled || files.length === 0) return;
    event.preventDefault();
    attach(files);
  };
  return { attachment, problem, isDropping, attach, remove, paste };
}
