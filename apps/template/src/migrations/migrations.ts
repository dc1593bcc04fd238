import { Templates1763700000001 } from './1763700000001-templates';

/** In the order in which they are made. */
export const migrations = [Templates1763700000001];
