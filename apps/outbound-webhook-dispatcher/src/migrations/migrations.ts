import { Webhooks1763700000001 } from './1763700000001-webhooks';

/** In the order in which they are made. */
export const migrations = [Webhooks1763700000001];
