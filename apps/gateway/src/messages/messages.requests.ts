import { IsIn, IsOptional, IsString, Length, Matches } from 'class-validator';
import { PageQuery } from '../requests/page';

const STATUSES = ['sent', 'delivered', 'read', 'failed'] as const;
/** Of years that every clock behind us knows. */
const DAY = /^[1-9]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** Product §2. */
export class ListMessagesQuery extends PageQuery {
  @IsOptional()
  @IsIn(STATUSES, { message: `status must be one of ${STATUSES.join(', ')}` })
  status?: (typeof STATUSES)[number];

  @IsOptional()
  @IsString()
  @Length(1, 140)
  phone?: string;

  /** Part of the text, a template's name or a message id. */
  @IsOptional()
  @IsString()
  @Length(1, 100)
  q?: string;
}

/** Days in the business's time zone, both included; the last 30 days when left out. */
export class UsageQuery {
  @IsOptional()
  @Matches(DAY, { message: 'from must be a day, YYYY-MM-DD' })
  from?: string;

  @IsOptional()
  @Matches(DAY, { message: 'to must be a day, YYYY-MM-DD' })
  to?: string;
}
