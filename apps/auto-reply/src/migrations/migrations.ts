import { Replies1763800000001 } from './1763800000001-replies';
import { Traces1763900000001 } from './1763900000001-traces';
import { Retention1763900000002 } from './1763900000002-retention';
import { Limit1764000000001 } from './1764000000001-limit';
import { Sending1764000000002 } from './1764000000002-sending';
import { ConsumerLeases1764100000001 } from './1764100000001-consumer-leases';
import { DeadLetterReplays1764200000001 } from './1764200000001-dead-letter-replays';
import { Workers1764400000001 } from './1764400000001-workers';
import { OutboxRecovery1764400000002 } from './1764400000002-outbox-recovery';
import { Shares1764500000001 } from './1764500000001-shares';
import { Newest1764400000007 } from './1764400000007-newest';

/** In the order in which they are made. */
export const migrations = [
  Replies1763800000001,
  Traces1763900000001,
  Retention1763900000002,
  Limit1764000000001,
  Sending1764000000002,
  ConsumerLeases1764100000001,
  DeadLetterReplays1764200000001,
  Workers1764400000001,
  OutboxRecovery1764400000002,
  Shares1764500000001,
  Newest1764400000007,
];
