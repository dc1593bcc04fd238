import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { PERMISSIONS, type Permission } from '@mgw/contracts';
import { IsZonedDatetime } from '../requests/zoned-datetime';

/** Product decision 46. */
const LIMIT_MAX = 100_000;

/** Product §2. */
@JSONSchema({ example: { name: 'CRM', permissions: ['*'] } })
export class CreateApiKeyRequest {
  @IsString()
  @Length(1, 100)
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

/** Product §3. Only what is given changes. */
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
