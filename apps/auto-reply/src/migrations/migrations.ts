import { Replies1763800000001 } from './1763800000001-replies';

/** In the order in which they are made. */
export const migrations = [Replies1763800000001];
