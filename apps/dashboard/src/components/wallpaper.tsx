import { Box } from '@mantine/core';
import type { ReactNode, Ref } from 'react';

/**
 * The background behind message bubbles.
 * @param isPane fills the rest of a column and scrolls instead of being as high as its messages. Screen readers read new messages in it, but
 * not each change of a preview.
 */
export function Wallpaper({ children, isPane = false, ref }: { children: ReactNode; isPane?: boolean; ref?: Ref<HTMLDivElement> }) {
  return (
    <Box
      ref={ref}
      p="md"
      bg="light-dark(#efe7dd, #15191c)"
      style={{
        ...(isPane ? { flex: 1, minHeight: 0 } : { borderRadius: 12 }),
        display: 'flex',
        flexDirection: 'column',
        gap: 8,
        overflowY: 'auto',
        overflowAnchor: 'none',
      }}
      {...(isPane && { tabIndex: 0, role: 'log', 'aria-label': 'Messages' })}
    >
      {children}
    </Box>
  );
}
