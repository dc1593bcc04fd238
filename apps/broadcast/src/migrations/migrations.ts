import { Broadcasts1763800000001 } from './1763800000001-broadcasts';
import { Traces1763900000001 } from './1763900000001-traces';
import { Retention1763900000002 } from './1763900000002-retention';
import { Read1764100000001 } from './1764100000001-read';
import { DeadLetterReplays1764200000001 } from './1764200000001-dead-letter-replays';
import { Reports1764200000002 } from './1764200000002-reports';
import { Paused1764200000003 } from './1764200000003-paused';
import { CreationKeys1764300000001 } from './1764300000001-creation-keys';
import { Workers1764400000001 } from './1764400000001-workers';
import { OutboxRecovery1764400000002 } from './1764400000002-outbox-recovery';
import { Unclear1764500000001 } from './1764500000001-unclear';
import { Newest1764400000007 } from './1764400000007-newest';

/** In the order in which they are made. */
export const migrations = [
  Broadcasts1763800000001,
  Traces1763900000001,
  Retention1763900000002,
  Read1764100000001,
  DeadLetterReplays1764200000001,
  Reports1764200000002,
  Paused1764200000003,
  CreationKeys1764300000001,
  Workers1764400000001,
  OutboxRecovery1764400000002,
  Unclear1764500000001,
  Newest1764400000007,
];
