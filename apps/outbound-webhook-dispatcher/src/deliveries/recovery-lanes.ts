const PREFIX = 'recovery:';
/**
 * Recovered deliveries of a webhook that are attempted at once: a quarter of its places, so live events find the others free.
 */
export const RECOVERY_LANES = 4;

/**
 * SQL: the lanes of a webhook in which recovered deliveries wait (decision 410). Those of one conversation share a lane, which keeps their
 * order, and live events never wait behind them.
 */
export const isRecoveryLane = (orderingKey: string) => `${orderingKey} LIKE '${PREFIX}%'`;
/** @param number SQL of a number from 0 on */
export const recoveryLane = (number: string) => `'${PREFIX}' || ${number}`;

/** SQL: since when a lane counts as due after an attempt. A recovery comes after the conversations that become due within a minute. */
export const dueSince = (orderingKey: string) =>
  `clock_timestamp() + CASE WHEN ${isRecoveryLane(orderingKey)} THEN interval '1 minute' ELSE interval '0' END`;
