import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { PERMISSIONS, type Permission } from '@mgw/contracts';
import { IsText } from '../requests/is-text';
import { IsZonedDatetime } from '../requests/zoned-datetime';

/** Decision 46. */
const LIMIT_MAX = 100_000;

/** Spec §10. */
@JSONSchema({ example: { name: 'CRM', permissions: ['*'] } })
export class CreateApiKeyRequest {
  @IsText(1, 100)
  name!: string;

  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  @IsIn(PERMISSIONS, { each: true, message: `each of permissions must be one of ${PERMISSIONS.join(', ')}` })
  permissions!: Permission[];

  @IsOptional()
  @IsZonedDatetime()
  expires_at?: string | null;
}

/** Absent fields stay unchanged (spec §11). */
@JSONSchema({ example: { per_minute_limit: 120, daily_limit: 1000 } })
export class ChangeApiKeyRequest {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(LIMIT_MAX)
  per_minute_limit?: number | null;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(LIMIT_MAX)
  daily_limit?: number | null;

  @IsOptional()
  @IsZonedDatetime()
  expires_at?: string | null;
}
