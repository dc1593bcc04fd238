import { Box } from '@mantine/core';
import type { ReactNode, Ref } from 'react';

/** The background behind message bubbles. */
export function Wallpaper({ children, height, ref }: { children: ReactNode; height?: number | string; ref?: Ref<HTMLDivElement> }) {
  return (
    <Box
      ref={ref}
      p="md"
      bg="light-dark(#efe7dd, #15191c)"
      h={height}
      style={{ borderRadius: 12, display: 'flex', flexDirection: 'column', gap: 8, overflowY: 'auto', overflowAnchor: 'none' }}
      tabIndex={0}
      role="log"
      aria-label="Messages"
    >
      {children}
    </Box>
  );
}
