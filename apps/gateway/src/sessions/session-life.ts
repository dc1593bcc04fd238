/** A session ends so long after its last use, or after its login, whichever comes first (product §2). In seconds. */
export const IDLE_SECONDS = 12 * 3600;
export const ABSOLUTE_SECONDS = 7 * 24 * 3600;
