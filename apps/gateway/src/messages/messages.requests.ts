import { IsIn, IsOptional, Matches } from 'class-validator';
import { IsText } from '../requests/is-text';
import { PageQuery } from '../requests/page';

const STATUSES = ['sent', 'delivered', 'read', 'failed'] as const;
/** A day of a year with four digits, which every service can parse. */
const DAY = /^[1-9]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** Spec §10. */
export class ListMessagesQuery extends PageQuery {
  @IsOptional()
  @IsIn(STATUSES, { message: `status must be one of ${STATUSES.join(', ')}` })
  status?: (typeof STATUSES)[number];

  @IsOptional()
  @IsText(1, 140)
  phone?: string;

  /** Part of the text, of a template name or of a message id. */
  @IsOptional()
  @IsText(1, 100)
  q?: string;
}

/** Days in the business's time zone, both included; the last 30 days by default. */
export class UsageQuery {
  @IsOptional()
  @Matches(DAY, { message: 'from must be a day, YYYY-MM-DD' })
  from?: string;

  @IsOptional()
  @Matches(DAY, { message: 'to must be a day, YYYY-MM-DD' })
  to?: string;
}
