import { countUpTo } from '@mgw/service';

/**
 * This service's own metrics for the operator. Only the index of the lanes leads to the waiting callbacks, so the age compares the oldest
 * callback of each lane.
 */
export const METRICS = {
  callbacks_waiting: countUpTo('FROM ingest.callbacks WHERE split_at IS NULL ORDER BY lane, id'),
  callbacks_oldest_seconds: `
    WITH RECURSIVE oldest AS (
      (SELECT lane, received_at FROM ingest.callbacks WHERE split_at IS NULL ORDER BY lane, id LIMIT 1)
      UNION ALL
      SELECT next.* FROM oldest, LATERAL (
        SELECT c.lane, c.received_at FROM ingest.callbacks c WHERE c.split_at IS NULL AND c.lane > oldest.lane ORDER BY c.lane, c.id LIMIT 1
      ) next
    ) SELECT coalesce(max(extract(epoch FROM now() - received_at)), 0) FROM oldest`,
};
