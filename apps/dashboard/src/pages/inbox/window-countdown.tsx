import { StateBadge } from '../../components/state-badge';
import { duration, useNow } from '../../components/clock';

/** The time until the conversation window closes. */
export function WindowCountdown({ closesAt }: { closesAt: string | null }) {
  const now = useNow();
  if (closesAt === null) return <StateBadge of="pending" label="window closed" />;
  return <StateBadge of="read" label={`${duration(Math.max(0, new Date(closesAt).getTime() - now))} left`} />;
}
