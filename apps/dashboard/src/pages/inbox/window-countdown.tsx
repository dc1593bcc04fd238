import { useEffect, useState } from 'react';
import { StateBadge } from '../../components/state-badge';

/** The time until the conversation window closes. */
export function WindowCountdown({ closesAt }: { closesAt: string | null }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  if (closesAt === null) return <StateBadge of="pending" label="window closed" />;
  const seconds = Math.max(0, Math.floor((new Date(closesAt).getTime() - Date.now()) / 1_000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60), seconds % 60];
  return <StateBadge of="read" label={`open for ${hours}:${String(minutes).padStart(2, '0')}:${String(rest).padStart(2, '0')}`} />;
}
