import type { ThreadMessage } from './thread-message';

/** The last reaction of each side; null after it was removed. @param messages in their order */
function reactionsBySide(messageId: string, messages: ThreadMessage[]): Map<string, string | null> {
  const bySide = new Map<string, string | null>();
  for (const { direction, reaction } of messages) if (reaction?.message_id === messageId) bySide.set(direction, reaction.emoji);
  return bySide;
}

/** The emojis on a message. */
export function reactionsTo(messageId: string, messages: ThreadMessage[]): string[] {
  return [...reactionsBySide(messageId, messages).values()].filter((emoji) => emoji !== null);
}

/** The emoji that the business put on a message. */
export function ownReactionTo(messageId: string, messages: ThreadMessage[]): string | null {
  return reactionsBySide(messageId, messages).get('out') ?? null;
}

/** Leaves out reactions to messages that are shown: those are on the message itself. */
export function withoutShownReactions(messages: ThreadMessage[]): ThreadMessage[] {
  const shown = new Set(messages.map(({ message_id }) => message_id));
  return messages.filter(({ reaction }) => !reaction || !shown.has(reaction.message_id));
}
