import { sendableFile } from '../inbox/sendable-file';

/** The headers that are a file. */
export type MediaType = 'image' | 'video' | 'document';

/** The types that WhatsApp takes as a sample of each. */
export const SAMPLES: Record<MediaType, { types: string[]; label: string; words: string }> = {
  image: { types: ['image/jpeg', 'image/png'], label: 'Sample picture', words: 'a picture of the type JPEG or PNG, at most 5 MB' },
  video: { types: ['video/mp4'], label: 'Sample video', words: 'a video of the type MP4, at most 16 MB' },
  document: { types: ['application/pdf'], label: 'Sample document', words: 'a PDF of at most 100 MB' },
};

/** @returns why the file cannot be the sample, or null */
export function sampleProblem(type: MediaType, file: Pick<File, 'name' | 'type' | 'size'>): string | null {
  const { types, words } = SAMPLES[type];
  if (!types.includes(file.type)) return `${file.name} does not fit this header. Choose ${words}.`;
  const checked = sendableFile(file);
  return 'problem' in checked ? checked.problem : null;
}
