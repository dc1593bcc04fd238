import { Records1763700000001 } from './1763700000001-records';
import { Log1763800000001 } from './1763800000001-log';

export const migrations = [Records1763700000001, Log1763800000001];
