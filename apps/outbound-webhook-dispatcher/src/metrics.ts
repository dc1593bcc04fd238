import { RECOVERY_LANE } from './deliveries/recovery-lane';

/** Lanes that the sum reads at most. */
const LANES = 10_000;
/** Events that the count reads at most. */
const EVENTS = 10_000;

/**
 * Metrics for the operator. The oldest delivery is the first one that waits or is attempted, of all webhooks and the backlog, without
 * recoveries.
 */
export const METRICS = {
  events_in_backlog: `SELECT count(*) FROM (SELECT FROM dispatch.backlog LIMIT ${EVENTS}) backlog`,
  deliveries_waiting: `SELECT coalesce(sum(open), 0) FROM (
    SELECT open FROM dispatch.lanes ORDER BY webhook_id, ordering_key LIMIT ${LANES}) lanes`,
  deliveries_oldest_seconds: `SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0) FROM (
    SELECT first.created_at FROM dispatch.webhooks w
    CROSS JOIN LATERAL (
      SELECT webhook_id, ordering_key FROM dispatch.lanes
      WHERE business_id = w.business_id AND webhook_id = w.id AND worker IS NULL AND NOT suspect AND ordering_key <> '${RECOVERY_LANE}'
      ORDER BY due_since LIMIT 1
    ) lane
    CROSS JOIN LATERAL (
      SELECT created_at FROM dispatch.deliveries
      WHERE queued AND webhook_id = lane.webhook_id AND ordering_key COLLATE "C" = lane.ordering_key ORDER BY id LIMIT 1
    ) first
    UNION ALL
    SELECT first.created_at FROM dispatch.feeds f
    CROSS JOIN LATERAL (SELECT created_at FROM dispatch.backlog WHERE business_id = f.business_id ORDER BY id LIMIT 1) first
    UNION ALL
    SELECT d.created_at FROM dispatch.lanes l JOIN dispatch.deliveries d ON d.id = l.delivery_id
    WHERE l.worker IS NOT NULL AND l.ordering_key <> '${RECOVERY_LANE}') open`,
  webhooks_failing: 'SELECT count(*) FROM dispatch.webhooks WHERE fail_count > 0 AND is_active',
};
