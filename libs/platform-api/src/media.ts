/** `GET /{media_id}` (platform §8.1). */
export interface MediaNode {
  /** Valid for five minutes, and only with the token. It is data from outside. */
  url: string;
  mime_type: string;
  /** Hexadecimal, or base64 as in callbacks. */
  sha256: string;
  /** Bytes. */
  file_size: number | string;
}

export const isMediaNode = ({ url, mime_type, sha256, file_size }: Record<string, unknown>): boolean =>
  [url, mime_type, sha256].every((member) => typeof member === 'string') && Number.isSafeInteger(Number(file_size ?? NaN));
