import { Deliveries1763700000001 } from './1763700000001-deliveries';

/** In the order in which they are made. */
export const migrations = [Deliveries1763700000001];
