import { Deliveries1763700000001 } from './1763700000001-deliveries';
import { ReplayOfDeadLetters1763700000002 } from './1763700000002-replay-of-dead-letters';

/** In the order in which they are made. */
export const migrations = [Deliveries1763700000001, ReplayOfDeadLetters1763700000002];
