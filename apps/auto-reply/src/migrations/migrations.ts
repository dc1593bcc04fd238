import { Replies1763800000001 } from './1763800000001-replies';
import { Traces1763900000001 } from './1763900000001-traces';
import { Retention1763900000002 } from './1763900000002-retention';

/** In the order in which they are made. */
export const migrations = [Replies1763800000001, Traces1763900000001, Retention1763900000002];
