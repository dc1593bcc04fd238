import { StateBadge } from '../../components/state-badge';
import { duration, useNow } from '../../components/clock';

/** The time until the conversation window closes, in words. */
export function WindowText({ closesAt }: { closesAt: string | null }): string {
  const now = useNow();
  return closesAt === null ? 'window closed' : `${duration(Math.max(0, new Date(closesAt).getTime() - now))} left`;
}

export function WindowCountdown({ closesAt }: { closesAt: string | null }) {
  return <StateBadge of={closesAt === null ? 'pending' : 'read'} label={<WindowText closesAt={closesAt} />} />;
}
