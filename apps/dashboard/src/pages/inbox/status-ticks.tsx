const TICKS: Record<string, { ticks: string; color?: string }> = {
  sent: { ticks: '✓' },
  delivered: { ticks: '✓✓' },
  read: { ticks: '✓✓', color: 'light-dark(#0b6bb8, #6cc4ff)' },
};

/** A status as WhatsApp draws it. */
export function StatusTicks({ status }: { status: string | null }) {
  const known = status === null ? undefined : TICKS[status];
  if (!known) return null;
  return (
    <span role="img" aria-label={status ?? ''} title={status ?? ''} style={{ color: known.color, letterSpacing: -2, paddingRight: 2 }}>
      {known.ticks}
    </span>
  );
}
