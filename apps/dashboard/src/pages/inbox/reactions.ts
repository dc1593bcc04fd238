import type { ThreadMessage } from './thread-message';

/** The emojis on a message: the last one of each side, unless it was removed. @param messages in their order */
export function reactionsTo(messageId: string, messages: ThreadMessage[]): string[] {
  const bySide = new Map<string, string | null>();
  for (const { direction, reaction } of messages) if (reaction?.message_id === messageId) bySide.set(direction, reaction.emoji);
  return [...bySide.values()].filter((emoji) => emoji !== null);
}

/** Leaves out reactions to messages that are shown: those are on the message itself. */
export function withoutShownReactions(messages: ThreadMessage[]): ThreadMessage[] {
  const shown = new Set(messages.map(({ message_id }) => message_id));
  return messages.filter(({ reaction }) => !reaction || !shown.has(reaction.message_id));
}
