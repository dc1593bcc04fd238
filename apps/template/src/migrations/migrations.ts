import { Templates1763700000001 } from './1763700000001-templates';
import { Restrictions1763800000001 } from './1763800000001-restrictions';
import { Traces1763900000001 } from './1763900000001-traces';
import { Budget1764000000001 } from './1764000000001-budget';
import { RestrictionEnds1764100000001 } from './1764100000001-restriction-ends';
import { ConsumerLeases1764100000002 } from './1764100000002-consumer-leases';
import { DeadLetterReplays1764200000001 } from './1764200000001-dead-letter-replays';
import { Workers1764400000001 } from './1764400000001-workers';
import { OutboxRecovery1764400000002 } from './1764400000002-outbox-recovery';
import { NumberClaims1764900000001 } from './1764900000001-number-claims';

/** In the order in which they are made. */
export const migrations = [
  Templates1763700000001,
  Restrictions1763800000001,
  Traces1763900000001,
  Budget1764000000001,
  RestrictionEnds1764100000001,
  ConsumerLeases1764100000002,
  DeadLetterReplays1764200000001,
  Workers1764400000001,
  OutboxRecovery1764400000002,
  NumberClaims1764900000001,
];
