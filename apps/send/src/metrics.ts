import { onRow } from '@mgw/postgres';
import { countUpTo } from '@mgw/service';
import { firstIntentIdAt } from './retention';

/** This service's own metrics for the operator. */
export const METRICS = {
  // Intent ids begin with their time, so the primary key serves this count.
  sends_last_minute: `SELECT count(*) FROM send.intents WHERE id >= ${firstIntentIdAt(`now() - interval '1 minute'`)} AND ${onRow(`state = 'accepted'`)}`,
  sends_under_way: countUpTo(
    `FROM send.intents WHERE state IN ('calling', 'unknown') AND ${onRow(`state = 'calling'`)} ORDER BY created_at DESC`,
  ),
  sends_unresolved: countUpTo(
    `FROM send.intents WHERE state IN ('calling', 'unknown') AND ${onRow(`state = 'unknown'`)} ORDER BY created_at`,
  ),
};
