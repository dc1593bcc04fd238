import { IsIn, IsOptional, IsString, Length } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { PLANS, type Plan } from '@mgw/contracts';

const PLAN = { message: `plan must be one of ${PLANS.join(', ')}` };

@JSONSchema({ example: { name: 'Riverside Books', plan: 'Growth', timezone: 'Asia/Kolkata' } })
export class CreateBusinessRequest {
  @IsString()
  @Length(1, 100)
  name!: string;

  @IsIn(PLANS, PLAN)
  plan!: Plan;

  /** IANA name; Asia/Kolkata by default (decision 20). */
  @IsOptional()
  @IsString()
  @Length(1, 64)
  timezone?: string | null;
}

/** Absent fields stay unchanged. */
@JSONSchema({ example: { plan: 'Pro' } })
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
