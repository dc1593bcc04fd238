import type { Schemas } from '../../api/client';

/** A message of a thread. */
export type ThreadMessage = Schemas['Thread']['messages'][number];

/** A note of the business about a conversation. */
export type Note = NonNullable<Schemas['Thread']['newest_notes']>[number];

type LastMessage = NonNullable<Schemas['Conversations']['conversations'][number]['last_message']>;

const LABELS: Record<string, string> = {
  image: '📷 Picture',
  video: '🎬 Video',
  audio: '🎵 Sound',
  document: '📄 Document',
  sticker: '💟 Sticker',
  location: '📍 Location',
  contacts: '👤 Contact',
  order: '🛒 Order',
  reaction: 'Reaction',
  unsupported: 'A message that WhatsApp does not pass on',
};

/** The text, or a label of the content. */
export function shownText({
  text,
  type,
  voice,
  location,
  filename,
}: Pick<ThreadMessage, 'text' | 'type' | 'voice' | 'location' | 'filename'>): string {
  if (text) return type in LABELS && type !== 'reaction' ? `${LABELS[type]?.split(' ')[0]} ${text}` : text;
  if (voice) return '🎤 Voice message';
  const name = location?.name ?? location?.address ?? filename;
  return [name ? LABELS[type]?.split(' ')[0] : (LABELS[type] ?? `[${type}]`), name].filter(Boolean).join(' ');
}

const SENDERS: Record<string, string> = { api: 'API', ai: 'AI', broadcast: 'Broadcast', agent: 'Former colleague' };

/** @returns the name of the author of a message of the business */
export function authorOf({ sent_by, author, api_key }: Pick<ThreadMessage, 'sent_by' | 'author' | 'api_key'>): string {
  if (author?.name) return author.name;
  return [SENDERS[sent_by ?? ''] ?? '', sent_by === 'api' && api_key?.name].filter(Boolean).join(' · ');
}

const PREVIEW_SENDERS: Record<string, string> = { ...SENDERS, ai: 'Automatic reply' };

/** @returns the author of a message of the business, as the list of conversations names it; "" if that is not known */
export function previewAuthor({ sent_by, author }: Pick<LastMessage, 'sent_by' | 'author'>, userId: number): string {
  if (author) return author.id === userId ? 'You' : author.name || 'Former colleague';
  return PREVIEW_SENDERS[sent_by ?? ''] ?? '';
}
