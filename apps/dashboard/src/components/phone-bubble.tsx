import { Box, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { FormattedText } from './formatted-text';

const COLORS = {
  mine: { bg: 'light-dark(#dcf7d3, #0b4f3c)', border: undefined },
  theirs: { bg: 'light-dark(#ffffff, #2a3036)', border: undefined },
  failed: { bg: 'light-dark(#fff5f4, #3d2422)', border: '1px solid light-dark(#f3b7b0, #7d3b35)' },
  // A sticker has no bubble.
  bare: { bg: 'transparent', border: undefined },
};

/** A message as a phone shows it. */
export function PhoneBubble({
  header,
  text,
  footer,
  buttons = [],
  mine = true,
  look = mine ? 'mine' : 'theirs',
  meta,
  children,
  reactions = [],
  deleted = false,
}: {
  header?: string | null;
  text: string;
  footer?: string | null;
  /** Labels, or whole buttons. */
  buttons?: ReactNode[];
  mine?: boolean;
  look?: keyof typeof COLORS;
  meta?: ReactNode;
  /** Shown above the text; with it the text may be empty. */
  children?: ReactNode;
  /** Emojis on the bubble's edge. */
  reactions?: string[];
  deleted?: boolean;
}) {
  const { bg, border } = COLORS[look];
  return (
    <Box
      maw="min(82%, 34rem)"
      mb={reactions.length > 0 ? 10 : 0}
      style={{ alignSelf: mine ? 'flex-end' : 'flex-start', position: 'relative', flexShrink: 0 }}
    >
      <Paper
        px={10}
        py={7}
        radius={10}
        {...(look !== 'bare' && { shadow: 'xs' })}
        bg={bg}
        style={{ border, color: 'light-dark(#10201a, #f1f5f3)', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', overflow: 'hidden' }}
      >
        {header && (
          <Text fw={650} size="sm" dir="auto">
            {header}
          </Text>
        )}
        {children}
        {(text || !children) && (
          <Text size="sm" dir="auto" {...(deleted && { td: 'line-through' as const, style: { opacity: 0.7 } })}>
            {text ? <FormattedText text={text} /> : '—'}
          </Text>
        )}
        {footer && (
          <Text size="xs" dir="auto" style={{ opacity: 0.85 }}>
            {footer}
          </Text>
        )}
        {meta && (
          <Text
            fz={11}
            ta="right"
            mt={2}
            component="div"
            c={look === 'failed' ? 'light-dark(#b42318, #ffb4ab)' : 'light-dark(#55605a, #b9c2bd)'}
          >
            {meta}
          </Text>
        )}
        {buttons.map((button, i) => (
          <Box
            key={i}
            mx={-10}
            mb={i === buttons.length - 1 ? -7 : 0}
            mt={i === 0 ? 6 : 0}
            py={7}
            px={10}
            ta="center"
            fz="sm"
            fw={550}
            c="light-dark(#1b5fc1, #8ec5ff)"
            style={{ borderTop: '1px solid light-dark(#00000018, #ffffff22)' }}
          >
            {button}
          </Box>
        ))}
      </Paper>
      {reactions.length > 0 && (
        <Box
          role="img"
          aria-label={`Reactions: ${reactions.join(' ')}`}
          bg="var(--mantine-color-body)"
          px={6}
          fz={13}
          style={{
            position: 'absolute',
            bottom: -12,
            insetInlineStart: 12,
            borderRadius: 99,
            border: '1px solid var(--mantine-color-default-border)',
          }}
        >
          {reactions.join(' ')}
        </Box>
      )}
    </Box>
  );
}
