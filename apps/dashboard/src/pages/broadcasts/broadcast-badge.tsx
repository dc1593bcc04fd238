import type { Schemas } from '../../api/client';
import { StateBadge } from '../../components/state-badge';
import { isWaiting } from './broadcast-phase';

/** The state of a broadcast as a word. */
export function BroadcastBadge(broadcast: Pick<Schemas['Broadcast'], 'status' | 'pending' | 'unclear'>) {
  return <StateBadge of={broadcast.status} {...(isWaiting(broadcast) && { label: 'waiting' })} />;
}
