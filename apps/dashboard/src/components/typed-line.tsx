import { Group, Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface TypedLineProps extends TextProps {
  /** A short text in front. It stands apart, so that the direction of one does not change the other. */
  before?: ReactNode;
  children: ReactNode;
}

/** Text that somebody typed, on one line unless `lineClamp` allows more. Its end is cut, which is the left one of right-to-left text. */
export function TypedLine({ before, lineClamp, children, ...text }: TypedLineProps) {
  return (
    <Group gap={4} wrap="nowrap" align="baseline">
      {before && (
        <Text inherit truncate maw="60%" style={{ flexShrink: 0 }}>
          {before}
        </Text>
      )}
      <Text inherit dir="auto" ta="left" {...(lineClamp ? { lineClamp } : { truncate: true })} {...text}>
        {children}
      </Text>
    </Group>
  );
}
