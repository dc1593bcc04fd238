import { Box, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A message as a phone shows it. */
export function PhoneBubble({
  header,
  text,
  footer,
  buttons = [],
  mine = true,
  meta,
  children,
  reactions = [],
  deleted = false,
}: {
  header?: string | null;
  text: string;
  footer?: string | null;
  buttons?: string[];
  mine?: boolean;
  meta?: ReactNode;
  /** Shown above the text; with it the text may be empty. */
  children?: ReactNode;
  /** Emojis on the bubble's edge. */
  reactions?: string[];
  deleted?: boolean;
}) {
  return (
    <Box maw="82%" style={{ alignSelf: mine ? 'flex-end' : 'flex-start' }}>
      <Paper
        px="sm"
        py={7}
        radius="md"
        shadow="xs"
        bg={mine ? 'light-dark(#d9fdd3, #0b4f3c)' : 'light-dark(#ffffff, #2a3036)'}
        style={{ color: 'light-dark(#10231b, #f1f5f3)', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {header && (
          <Text fw={650} size="sm" dir="auto">
            {header}
          </Text>
        )}
        {children}
        {(text || !children) && (
          <Text size="sm" dir="auto" {...(deleted && { td: 'line-through' as const, style: { opacity: 0.7 } })}>
            {text || '—'}
          </Text>
        )}
        {footer && (
          <Text size="xs" dir="auto" style={{ opacity: 0.85 }}>
            {footer}
          </Text>
        )}
        {meta && (
          <Text size="xs" ta="right" component="div" style={{ opacity: 0.9 }}>
            {meta}
          </Text>
        )}
      </Paper>
      {reactions.length > 0 && (
        <Text size="sm" mt={2} aria-label={`Reactions: ${reactions.join(' ')}`} role="img">
          {reactions.join(' ')}
        </Text>
      )}
      {buttons.map((button) => (
        <Paper key={button} mt={4} py={6} radius="md" shadow="xs" ta="center" fz="sm" fw={600} bg="light-dark(#ffffff, #2a3036)">
          {button}
        </Paper>
      ))}
    </Box>
  );
}
