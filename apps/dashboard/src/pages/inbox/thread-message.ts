import type { Schemas } from '../../api/client';

/** A message of a thread. */
export type ThreadMessage = Schemas['Thread']['messages'][number];

/** The text, or a label such as `[image]`. */
export function shownText({ text, media, type }: ThreadMessage): string {
  return text || `[${media?.type ?? type}]`;
}
