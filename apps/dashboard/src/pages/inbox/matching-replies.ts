import type { Schemas } from '../../api/client';

export type QuickReply = Schemas['QuickReplies']['quick_replies'][number];

/** Those whose shortcut or text has the word after `/`; shortcuts that begin with it come first. */
export function matchingReplies(replies: QuickReply[], text: string): QuickReply[] {
  const word = /^\/(\S*)$/.exec(text)?.[1]?.toLowerCase();
  if (word === undefined) return [];
  const rank = ({ shortcut, text: body }: QuickReply) =>
    shortcut.toLowerCase().startsWith(word) ? 0 : `${shortcut} ${body}`.toLowerCase().includes(word) ? 1 : 2;
  return replies.filter((reply) => rank(reply) < 2).sort((a, b) => rank(a) - rank(b) || a.shortcut.localeCompare(b.shortcut));
}
