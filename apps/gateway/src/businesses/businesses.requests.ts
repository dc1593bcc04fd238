import { IsBoolean, IsIn, IsInt, Max, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { PLANS, type Plan } from '@mgw/contracts';
import { IsName, Optional } from '../requests/field-rules';
import { IsText } from '../requests/is-text';

const PLAN = { message: `plan must be one of ${PLANS.join(', ')}` };

@JSONSchema({ example: { name: 'Riverside Books', plan: 'Growth', timezone: 'Asia/Kolkata' } })
export class CreateBusinessRequest {
  @IsName(100)
  name!: string;

  @IsIn(PLANS, PLAN)
  plan!: Plan;

  /** IANA name; Asia/Kolkata by default (decision 20). */
  @Optional(IsText(1, 64))
  timezone?: string | null;
}

/** Recipients of broadcasts in a day that an operator may allow at most. */
const MAX_BROADCAST_LIMIT = 1_000_000;

export class ListBusinessesQuery {
  /** Part of the name, or an id. */
  @Optional(IsText(1, 100))
  q?: string;
}

/** Absent fields stay unchanged. */
@JSONSchema({ example: { plan: 'Pro' } })
export class ChangeBusinessRequest {
  @Optional(IsName(100))
  name?: string | null;

  @Optional(IsIn(PLANS, PLAN))
  plan?: Plan | null;

  @Optional(IsText(1, 64))
  timezone?: string | null;

  /** Recipients of broadcasts in a day. It stays when the plan changes. */
  @Optional(IsInt(), Min(0), Max(MAX_BROADCAST_LIMIT))
  broadcast_daily_limit?: number | null;

  /** A suspended business sends nothing, and its keys get 403. Messages of customers are still stored. */
  @Optional(IsBoolean())
  suspended?: boolean | null;
}
