import { IsIn, IsOptional, Matches } from 'class-validator';
import { normalizePhone } from '@mgw/phone';
import { IsText } from '../requests/is-text';
import { PageQuery, PeriodQuery } from '../requests/page';
import { IgnoresUnknownFields } from '../requests/request.pipe';

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

const DIRECTIONS = ['in', 'out'] as const;

/** The message log by key (decision 363). `status`, `template` and `api_key_id` find sent messages only. */
@IgnoresUnknownFields()
export class MessageLogQuery extends PeriodQuery {
  /** Both by default. */
  @IsOptional()
  @IsIn(DIRECTIONS, { message: `direction must be one of ${DIRECTIONS.join(', ')}` })
  direction?: (typeof DIRECTIONS)[number];

  @IsOptional()
  @IsText(1, 140)
  phone?: string;

  @IsOptional()
  @IsIn(STATUSES, { message: `status must be one of ${STATUSES.join(', ')}` })
  status?: (typeof STATUSES)[number];

  /** The name of a template. */
  @IsOptional()
  @IsText(1, 512)
  template?: string;

  /** The key that sent; for a rotated key the first of its rotation. */
  @IsOptional()
  @Matches(/^[1-9]\d{0,14}$/, { message: 'api_key_id must be a whole number' })
  api_key_id?: string;
}

/** An invalid phone number is searched for as typed, and matches nothing. */
export function searchedPhone(typed: string | undefined): string | null {
  if (typed === undefined) return null;
  const phone = normalizePhone(typed);
  return phone.ok ? phone.value : typed;
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
