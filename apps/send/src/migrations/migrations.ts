import { Conversations1763700000001 } from './1763700000001-conversations';
import { Intents1763700000002 } from './1763700000002-intents';
import { Reserve1763700000003 } from './1763700000003-reserve';
import { Events1763700000004 } from './1763700000004-events';
import { Otp1763700000005 } from './1763700000005-otp';
import { Inbox1763800000001 } from './1763800000001-inbox';
import { Strangers1763800000002 } from './1763800000002-strangers';
import { RoundTrips1763800000003 } from './1763800000003-round-trips';
import { Traces1763900000001 } from './1763900000001-traces';
import { Months1763900000002 } from './1763900000002-months';
import { Admission1763900000003 } from './1763900000003-admission';
import { ConsumerLeases1764100000001 } from './1764100000001-consumer-leases';
import { DeadLetterReplays1764200000001 } from './1764200000001-dead-letter-replays';
import { Workers1764400000001 } from './1764400000001-workers';
import { Search1764400000005 } from './1764400000005-search';
import { OutboxRecovery1764400000002 } from './1764400000002-outbox-recovery';

/** In the order in which they are made. */
export const migrations = [
  Conversations1763700000001,
  Intents1763700000002,
  Reserve1763700000003,
  Events1763700000004,
  Otp1763700000005,
  Inbox1763800000001,
  Strangers1763800000002,
  RoundTrips1763800000003,
  Traces1763900000001,
  Months1763900000002,
  Admission1763900000003,
  ConsumerLeases1764100000001,
  DeadLetterReplays1764200000001,
  Workers1764400000001,
  Search1764400000005,
  OutboxRecovery1764400000002,
];
