import type { Schemas } from './client';

/** A message of a thread, as far as it shows who wrote what. */
export type WrittenMessage = Pick<Schemas['Thread']['messages'][number], 'message_id' | 'type' | 'text' | 'author'>;

/** @param shown a thread, the oldest message first @returns the id of the newest message with this content by this person */
export const newestOwn = (shown: WrittenMessage[], userId: number, type: string, text: string): string | undefined =>
  shown.findLast((one) => one.author?.id === userId && one.type === type && (one.text ?? '').trim() === text.trim())?.message_id;
