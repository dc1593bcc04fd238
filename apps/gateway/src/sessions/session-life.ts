/** Seconds from the last use and from the login after which a session ends (spec §5.10, §10); the earlier one wins. */
export const IDLE_SECONDS = 12 * 3600;
export const ABSOLUTE_SECONDS = 7 * 24 * 3600;
