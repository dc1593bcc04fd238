import { Access1760000000000 } from './1760000000000-access';

/** The schema `access`, oldest change first. */
export const migrations = [Access1760000000000];
