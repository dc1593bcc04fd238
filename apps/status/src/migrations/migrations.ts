import { Records1763700000001 } from './1763700000001-records';

/** In the order in which they are made. */
export const migrations = [Records1763700000001];
