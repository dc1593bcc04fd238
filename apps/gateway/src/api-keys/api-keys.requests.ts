import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { PERMISSIONS, type Permission } from '@mgw/contracts';
import { AreSomeOf, IsName, IsOneOf, Optional } from '../requests/field-rules';
import { IsZonedDatetime } from '../requests/zoned-datetime';
import { AreCidrs } from './allowed-ips';

/** Decision 46. */
const LIMIT_MAX = 100_000;

/** Spec §10. */
@JSONSchema({ example: { name: 'CRM', permissions: ['*'] } })
export class CreateApiKeyRequest {
  @IsName(100)
  name!: string;

  @AreSomeOf(PERMISSIONS)
  permissions!: Permission[];

  @Optional(IsZonedDatetime())
  expires_at?: string | null;
}

/** Absent fields stay unchanged. */
@JSONSchema({ example: { name: 'CRM', allowed_ips: ['203.0.113.7', '198.51.100.0/24'] } })
export class EditApiKeyRequest {
  @Optional(IsName(100))
  name?: string | null;

  @Optional(IsZonedDatetime())
  expires_at?: string | null;

  /** `true` removes the expiry. A null `expires_at` leaves it unchanged, as every null does. */
  @Optional(IsBoolean())
  never_expires?: boolean | null;

  /** An empty list allows every address. */
  @Optional(AreCidrs())
  allowed_ips?: string[] | null;
}

const GRACE_MINUTES = [0, 15, 60, 360, 1_440] as const;

@JSONSchema({ example: { grace_minutes: 60 } })
export class RotateApiKeyRequest {
  /** Minutes for which the old key still works. */
  @IsOneOf(GRACE_MINUTES)
  grace_minutes!: (typeof GRACE_MINUTES)[number];
}

/** Absent fields stay unchanged (spec §11). */
@JSONSchema({ example: { per_minute_limit: 120, daily_limit: 1000 } })
export class ChangeApiKeyRequest {
  @Optional(IsInt(), Min(1), Max(LIMIT_MAX))
  per_minute_limit?: number | null;

  @Optional(IsInt(), Min(1), Max(LIMIT_MAX))
  daily_limit?: number | null;

  @Optional(IsZonedDatetime())
  expires_at?: string | null;

  /** `true` removes the expiry. A null `expires_at` leaves it unchanged, as every null does. */
  @Optional(IsBoolean())
  never_expires?: boolean | null;
}
