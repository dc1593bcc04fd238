import { useEffect, useRef, useState } from 'react';
import { ApiError, type Schemas } from '../../api/client';
import { uploadFile } from '../../api/upload-file';
import { sampleProblem, type MediaType } from './sample-file';

/** The sample of a header, which is uploaded as soon as a person has chosen it. @param onUploaded gets the handle for the template */
export function useSample(onUploaded: (filename: string, handle: string) => void) {
  const [file, setFile] = useState<File | null>(null);
  /** From 0 to 1; null while nothing is uploaded. */
  const [progress, setProgress] = useState<number | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const upload = useRef<AbortController>(null);
  useEffect(() => () => upload.current?.abort(), []);
  const clear = () => {
    upload.current?.abort();
    setFile(null);
    setProgress(null);
    setProblem(null);
  };
  const choose = (type: MediaType, chosen: File) => {
    const fault = sampleProblem(type, chosen);
    if (fault) return setProblem(fault);
    clear();
    const { signal } = (upload.current = new AbortController());
    setFile(chosen);
    setProgress(0);
    uploadFile<Schemas['UploadedSample']>('/api/client/media/samples', chosen, setProgress, signal)
      .then(({ handle }) => onUploaded(chosen.name, handle))
      .catch((error: Error) => {
        setFile(null);
        const hint = error instanceof ApiError && error.hint ? ` ${error.hint}` : '';
        setProblem(`${chosen.name} was not uploaded: ${error.message}${hint}`);
      })
      .finally(() => setProgress(null));
  };
  return { file, progress, problem, choose, clear };
}
