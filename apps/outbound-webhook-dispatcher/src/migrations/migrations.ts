import { Webhooks1763700000001 } from './1763700000001-webhooks';
import { Log1763800000001 } from './1763800000001-log';
import { Traces1763900000001 } from './1763900000001-traces';
import { Vacuum1764000000001 } from './1764000000001-vacuum';
import { ConsumerLeases1764100000001 } from './1764100000001-consumer-leases';
import { DeadLetterReplays1764200000001 } from './1764200000001-dead-letter-replays';
import { Requests1764200000002 } from './1764200000002-requests';
import { Workers1764400000001 } from './1764400000001-workers';
import { OutboxRecovery1764400000002 } from './1764400000002-outbox-recovery';
import { Lanes1764400000003 } from './1764400000003-lanes';
import { Newest1764400000007 } from './1764400000007-newest';

export const migrations = [
  Webhooks1763700000001,
  Log1763800000001,
  Traces1763900000001,
  Vacuum1764000000001,
  ConsumerLeases1764100000001,
  DeadLetterReplays1764200000001,
  Requests1764200000002,
  Workers1764400000001,
  OutboxRecovery1764400000002,
  Lanes1764400000003,
  Newest1764400000007,
];
