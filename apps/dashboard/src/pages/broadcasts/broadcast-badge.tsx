import type { Schemas } from '../../api/client';
import { StateBadge } from '../../components/state-badge';
import { isQueued, isWaiting } from './broadcast-phase';

/** The state of a broadcast as a word. */
export function BroadcastBadge(broadcast: Pick<Schemas['Broadcast'], 'status' | 'pending' | 'unclear' | 'scheduled_at'>) {
  return <StateBadge of={broadcast.status} {...((isWaiting(broadcast) || isQueued(broadcast)) && { label: 'waiting' })} />;
}
