import { Records1763700000001 } from './1763700000001-records';
import { Log1763800000001 } from './1763800000001-log';
import { Traces1763900000001 } from './1763900000001-traces';
import { Months1763900000002 } from './1763900000002-months';
import { DeadLetterReplays1764200000001 } from './1764200000001-dead-letter-replays';
import { Workers1764400000001 } from './1764400000001-workers';
import { Recipients1764400000005 } from './1764400000005-recipients';
import { OutboxRecovery1764400000002 } from './1764400000002-outbox-recovery';
import { Usage1764400000006 } from './1764400000006-usage';

export const migrations = [
  Records1763700000001,
  Log1763800000001,
  Traces1763900000001,
  Months1763900000002,
  DeadLetterReplays1764200000001,
  Workers1764400000001,
  Recipients1764400000005,
  OutboxRecovery1764400000002,
  Usage1764400000006,
];
