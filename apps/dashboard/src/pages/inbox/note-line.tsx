import { Box, Text } from '@mantine/core';
import { useZone } from '../../api/use-zone';
import { timeOfDay } from '../../components/clock-time';
import type { ThreadMessage } from './thread-message';

/** A note of a colleague in the thread. */
export function NoteLine({ text, author, at }: Pick<ThreadMessage, 'text' | 'author' | 'at'>) {
  const zone = useZone();
  return (
    <Box
      role="note"
      aria-label="Note"
      px={12}
      py={6}
      maw="min(82%, 34rem)"
      bg="light-dark(#fff6dc, #3b3216)"
      style={{
        alignSelf: 'center',
        flexShrink: 0,
        border: '1px solid light-dark(#ecd48b, #6b5a24)',
        borderRadius: 9,
        whiteSpace: 'pre-wrap',
        overflowWrap: 'anywhere',
      }}
    >
      <Text size="sm" dir="auto" c="light-dark(#3d3309, #f7ecc5)">
        {text}
      </Text>
      <Text fz={11} ta="right" c="light-dark(#665508, #d9c98e)">
        📝 <bdi>{author?.name || 'Former colleague'}</bdi> · {timeOfDay(at, zone)} · only your team sees notes
      </Text>
    </Box>
  );
}
