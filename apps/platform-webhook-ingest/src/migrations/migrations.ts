import { Deliveries1763700000001 } from './1763700000001-deliveries';
import { ReplayOfDeadLetters1763700000002 } from './1763700000002-replay-of-dead-letters';
import { Traces1763900000001 } from './1763900000001-traces';
import { DeadLetterReplays1764200000001 } from './1764200000001-dead-letter-replays';
import { OutboxRecovery1764400000002 } from './1764400000002-outbox-recovery';
import { Lanes1764800000001 } from './1764800000001-lanes';

/** In the order in which they run. */
export const migrations = [
  Deliveries1763700000001,
  ReplayOfDeadLetters1763700000002,
  Traces1763900000001,
  DeadLetterReplays1764200000001,
  OutboxRecovery1764400000002,
  Lanes1764800000001,
];
