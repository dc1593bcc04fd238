import { Broadcasts1763800000001 } from './1763800000001-broadcasts';

/** In the order in which they are made. */
export const migrations = [Broadcasts1763800000001];
