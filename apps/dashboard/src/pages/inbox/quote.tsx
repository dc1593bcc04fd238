import { Box, Text } from '@mantine/core';
import { authorOf, shownText, type ThreadMessage } from './thread-message';

/** A short form of the message that another one replies to. @param quoted undefined for a message that is not loaded */
export function Quote({ quoted, customer }: { quoted: ThreadMessage | undefined; customer: string }) {
  return (
    <Box
      role="note"
      aria-label="Reply to"
      px={8}
      py={4}
      mb={5}
      bg="light-dark(#0000000d, #ffffff14)"
      style={{ borderInlineStart: '3px solid var(--mantine-primary-color-filled)', borderRadius: 6, overflowWrap: 'anywhere' }}
    >
      <Text size="xs" fw={650} c="light-dark(#07694d, #73c4a4)" dir="auto">
        {quoted && (quoted.direction === 'in' ? customer : authorOf(quoted))}
      </Text>
      <Text size="xs" dir="auto" lineClamp={3}>
        {quoted ? shownText(quoted) : 'An earlier message'}
      </Text>
    </Box>
  );
}
