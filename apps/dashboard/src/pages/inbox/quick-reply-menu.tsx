import { Box, Paper, Text } from '@mantine/core';
import type { QuickReply } from './matching-replies';

/** The quick replies that match what an agent typed after `/`. */
export function QuickReplyMenu({
  matches,
  active,
  onChoose,
}: {
  matches: QuickReply[];
  active: number;
  onChoose: (reply: QuickReply) => void;
}) {
  return (
    <Paper
      withBorder
      shadow="sm"
      mb={6}
      mah={220}
      style={{ overflowY: 'auto' }}
      role="listbox"
      id="quick-replies"
      aria-label="Quick replies"
    >
      {matches.map((reply, i) => (
        <Box
          key={reply.id}
          id={`quick-reply-${reply.id}`}
          role="option"
          aria-selected={i === active}
          px="sm"
          py={6}
          bg={i === active ? 'var(--mantine-primary-color-light)' : undefined}
          style={{ cursor: 'pointer' }}
          onMouseDown={(event) => {
            // Keep the focus in the field.
            event.preventDefault();
            onChoose(reply);
          }}
        >
          <Text size="sm" fw={600}>
            /{reply.shortcut}
          </Text>
          <Text size="sm" truncate dir="auto">
            {reply.text}
          </Text>
        </Box>
      ))}
    </Paper>
  );
}
