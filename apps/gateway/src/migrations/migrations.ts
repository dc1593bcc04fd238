import { Access1760000000000 } from './1760000000000-access';
import { TimezoneChange1764400000006 } from './1764400000006-timezone-change';
import { UsersByBusiness1764400000007 } from './1764400000007-users-by-business';

/** The schema `access`, oldest change first. */
export const migrations = [Access1760000000000, TimezoneChange1764400000006, UsersByBusiness1764400000007];
