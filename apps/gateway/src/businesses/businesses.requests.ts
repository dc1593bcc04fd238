import { IsIn, IsOptional, IsString, Length } from 'class-validator';
import { PLANS, type Plan } from '@mgw/contracts';

const PLAN = { message: `plan must be one of ${PLANS.join(', ')}` };

/** Product §3. */
export class CreateBusinessRequest {
  @IsString()
  @Length(1, 100)
  name!: string;

  @IsIn(PLANS, PLAN)
  plan!: Plan;

  /** IANA name; Asia/Kolkata when left out (product decision 20). */
  @IsOptional()
  @IsString()
  @Length(1, 64)
  timezone?: string | null;
}

/** Only what is given changes. */
export class ChangeBusinessRequest {
  @IsOptional()
  @IsString()
  @Length(1, 100)
  name?: string | null;

  @IsOptional()
  @IsIn(PLANS, PLAN)
  plan?: Plan | null;

  @IsOptional()
  @IsString()
  @Length(1, 64)
  timezone?: string | null;
}
