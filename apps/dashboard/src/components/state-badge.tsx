import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

const COLORS: Record<string, string> = {
  read: 'green',
  delivered: 'teal',
  sent: 'blue',
  accepted: 'blue',
  failed: 'red',
  succeeded: 'green',
  pending: 'gray',
  running: 'blue',
  skipped: 'yellow',
  scheduled: 'gray',
  paused: 'orange',
  completed: 'green',
  cancelled: 'yellow',
  APPROVED: 'green',
  PENDING: 'yellow',
  PAUSED: 'orange',
  REJECTED: 'red',
  DISABLED: 'red',
  connected: 'green',
  unchecked: 'gray',
  problem: 'red',
  not_connected: 'gray',
  replied: 'green',
  sending: 'blue',
  unclear: 'yellow',
};

/** The word for a state, the same on every page. */
export const statusLabel = (state: string): string => (state === 'unclear' ? 'not confirmed' : state.replaceAll('_', ' ').toLowerCase());

/** A state as a word, in the same colour on every page. */
export function StateBadge({ of, label }: { of: string; label?: ReactNode }) {
  return (
    <Badge
      variant="light"
      color={COLORS[of] ?? 'gray'}
      tt="none"
      style={{ color: 'var(--mantine-color-text)', flexShrink: 0, overflow: 'visible' }}
      styles={{ label: { overflow: 'visible' } }}
    >
      {label ?? statusLabel(of)}
    </Badge>
  );
}
