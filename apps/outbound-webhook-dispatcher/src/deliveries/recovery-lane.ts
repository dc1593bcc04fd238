/**
 * The lane of a webhook in which recovered deliveries wait (decision 353). It orders them like a conversation of their own, so live events
 * never wait behind them.
 */
export const RECOVERY_LANE = 'recovery';

/** SQL: since when a lane counts as due after an attempt. A recovery comes after the conversations that become due within a minute. */
export const dueSince = (orderingKey: string) =>
  `clock_timestamp() + CASE WHEN ${orderingKey} = '${RECOVERY_LANE}' THEN interval '1 minute' ELSE interval '0' END`;
