/**
 * SQL: a platform time, clamped to the current second, because one in the future would win over every later one until then.
 * Platform times have whole seconds, so another one within this second still counts as later.
 */
export const notInFuture = (at: string) => `least(${at}::timestamptz, date_trunc('second', clock_timestamp()))`;
