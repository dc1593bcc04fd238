import type { Permission, Plan } from '@mgw/contracts';
import type { Author } from '../audit/audit.store';
import type { Zones } from '../businesses/zones';

/** The rights of a key, with the limits in force. */
export interface KeyAccess {
  api_key_id: number;
  /** The key as which other services count its sends: the first one of its rotations. */
  sends_as: number;
  api_key_name: string;
  permissions: Permission[];
  per_minute_limit: number;
  daily_limit: number;
  expires_at: Date | null;
  allowsFrom: (ip: string) => boolean;
  business: { id: number; name: string; suspended: boolean; plan: Plan; zones: Zones };
}

/** The key as the author of audit entries. */
export const authorOf = ({ api_key_id, business }: KeyAccess): Author => ({ user_id: null, business_id: business.id, api_key_id });
